import type { ClientBase } from 'pg';
import type { EndorsementField } from '../../intake/endorsements/fields.ts';
import { type Fate, IntakeOutcome } from '../../intake/endorsements/outcome.ts';
import {
  type Constants,
  createPick,
  type EndorsementColumns,
  type EndorsementRow,
  findFormulaError,
  findLongName,
  readRow,
} from '../../intake/endorsements/read-row.ts';
import { createReviewWriter } from '../../intake/endorsements/review-file.ts';
import type { EndorserEntry } from '../../intake/matching/match-endorser.ts';
import type { Table } from '../../intake/tables/read-table.ts';
import { createLruCache } from '../../service/lru-cache.ts';
import type { UploadDecision } from '../../store/console/uploads.ts';
import { type StagedList, type StagedRow, stageLists, stageRows } from '../../store/intake/staged.ts';
import {
  createAliases,
  type KnownRow,
  type MatchedRow,
  matchChoices,
  matchNames,
  meantBy,
  readDecision,
} from './match-names.ts';
import type { Sources } from './sources.ts';
import { TableDecisions } from './table-decisions.ts';

export interface TableOptions {
  /** Opens the table's bytes from the beginning. Called twice. */
  open(): AsyncIterable<Uint8Array>;
  /** `COLUMN=FIELD`. */
  map: readonly string[];
  constants: Constants;
  /** The account whose decisions count, before the common ones; null for these alone. */
  accountId: number | null;
  acceptClose: boolean;
  /** Milliseconds since 1970. */
  now: number;
  /** Takes the lines of the review file: first its head. */
  review?(line: string): Promise<void>;
  /** The decision of a person about the row of a line, which counts before one in the table. */
  decide?(line: number): UploadDecision | undefined;
  /** Is told of every row, in the order of the table. */
  onRow?(seen: SeenRow): void;
  /** The endorsers that rows can mean; by default all of the catalogue. */
  endorsers?: readonly EndorserEntry[];
  /** Whether to only look, and stage nothing. */
  lookOnly?: boolean;
  /** Awaited after each row, so that a process can do its other work. */
  pause?(): Promise<void>;
}

/** A row, and what became of it. */
export interface SeenRow {
  line: number;
  fate: Fate;
  /** Why it is not exact, or what is wrong with it; empty if the names say it all. */
  reason: string;
  /** Null if the row cannot be read. */
  row: EndorsementRow | null;
  /** Null if the row cannot be read. */
  matched: MatchedRow | null;
  /** The keys of the contest and choice that the row means, or probably means; empty if none. */
  proposed: string;
}

const BATCH_ROWS = 500;
/** The most answers about measures that are remembered, to find others about the same. */
const MAX_ANSWERS = 50_000;

/** Stages the rows of a table that are sure, writes the unsure ones to the review file, and counts them all. */
export class TableWork {
  readonly result = {
    outcome: new IntakeOutcome(),
    staged: 0,
    reviewed: 0,
  };
  readonly decisions: TableDecisions;
  readonly #client: ClientBase;
  readonly #sources: Sources;
  readonly #options: TableOptions;
  readonly #columns: EndorsementColumns;
  readonly #header: readonly string[];
  readonly #writer: ReturnType<typeof createReviewWriter>;
  #batch: StagedRow[] = [];
  /** The first answers about measures, by endorser and measure. */
  readonly #answers = createLruCache<string, { choice: string; line: number }>(MAX_ANSWERS);
  /** The endorsers and elections of rows since the last batch, by both slugs. */
  readonly #lists = new Map<string, StagedList>();

  constructor(
    client: ClientBase,
    sources: Sources,
    options: TableOptions,
    columns: EndorsementColumns,
    { header }: Table,
  ) {
    this.#client = client;
    this.#sources = sources;
    this.decisions = new TableDecisions(sources);
    this.#options = options;
    this.#columns = columns;
    this.#header = header;
    this.#writer = createReviewWriter(header, columns);
  }

  refuse(line: number, reason: string, known: KnownRow | null = null): void {
    this.#report('refused', line, known, { reason });
  }

  async take(line: number, cells: readonly string[]): Promise<void> {
    const row = applyDecision(readRow(cells, this.#columns), this.#options.decide?.(line), this.#columns);
    const long = findLongName(row);
    if (long !== null) return this.refuse(line, long.fault);
    const rows = await matchChoices(row, this.#sources);
    const [{ matched }] = rows;
    await this.#noteList(matched);
    const known = { row, matched };
    const failed = findFormulaError(cells, { header: this.#header, places: this.#columns.places });
    if (failed !== null) return this.refuse(line, failed.fault, known);
    if (row.decision !== null) return this.#decide(line, known);
    const { unrepresentable, grade } = matched;
    if (unrepresentable !== null) {
      const { text: reason, isUnderstood } = unrepresentable;
      return this.#report('not representable', line, known, { reason }, isUnderstood);
    }
    const isSure = grade === 'exact' || (grade === 'close' && this.#options.acceptClose);
    if (isSure && meantBy(matched) !== null) return this.#accept(line, known, rows);
    return this.#review(line, cells, known);
  }

  /** Stages a row whose names are sure. @param rows the same for each of its choices */
  async #accept(line: number, known: KnownRow, rows: readonly KnownRow[]): Promise<void> {
    for (const { row, matched } of rows) {
      const fault = await this.#stage(line, row, matched);
      if (fault !== null) return this.refuse(line, fault, known);
    }
    const { reason } = describeGuess(known.matched);
    const proposed = rows.map(({ matched }) => showProposal(matched)).join(', ');
    this.#report(known.matched.grade, line, known, { reason, proposed }, true);
  }

  /** Leaves a row to a person. */
  async #review(line: number, cells: readonly string[], known: KnownRow): Promise<void> {
    const { grade, endorser, contest, choice } = known.matched;
    const guess = describeGuess(known.matched);
    this.#report(grade, line, known, guess);
    const { review } = this.#options;
    if (this.result.reviewed === 0) await review?.(this.#writer.head);
    this.result.reviewed += 1;
    await review?.(
      this.#writer.write(cells, {
        match_grade: grade,
        match_reason: guess.reason,
        proposed_endorser: endorser?.slug ?? '',
        proposed_contest: contest?.key ?? '',
        proposed_choice: choice?.key ?? '',
        decision: '',
      }),
    );
  }

  /** Does what a person has decided about a row, and remembers the decision. */
  async #decide(line: number, known: KnownRow): Promise<void> {
    const { row } = known;
    // Names that were decided on before are still in question: the new decision replaces that one.
    const { unsure, fits } = await matchNames(row, { ...this.#sources, findAlias: () => null });
    const matched = { ...known.matched, unsure, fits };
    const decided = await readDecision(row, matched, this.#sources);
    if ('fault' in decided) return this.refuse(line, decided.fault, known);
    if (decided.left) return this.#report('left out', line, known, { reason: 'decided: no' }, true);
    const fault = await this.#stage(line, row, decided);
    if (fault !== null) return this.refuse(line, fault, known);
    for (const alias of createAliases(row, matched, decided)) this.decisions.add(alias);
    this.#report('decided', line, known, { reason: 'decided', proposed: showProposal(decided) }, true);
  }

  /** The person's name for the column of a field. */
  #columnOf(field: string): string {
    return this.#header[this.#columns.places.get(field as EndorsementField) ?? -1] || field;
  }

  /** Stages a row. @returns the row's problem, or null */
  async #stage(
    line: number,
    row: EndorsementRow,
    records: Pick<MatchedRow, 'endorser' | 'contest' | 'choice'>,
  ): Promise<string | null> {
    const meant = meantBy(records);
    if (meant === null) return null;
    if ((records.choice?.measure_answer ?? null) !== null) {
      const measure = `${meant.endorser} ${meant.contest}`;
      const first = this.#answers.get(measure) ?? { choice: meant.choice, line };
      if (first.choice !== meant.choice) {
        return `has another answer about ${meant.contest} than line ${first.line}: correct one of them`;
      }
      this.#answers.set(measure, first);
    }
    const pick = createPick(row, meant, this.#options.now, (field) => this.#columnOf(field));
    if ('fault' in pick) return pick.fault;
    if (this.#options.lookOnly) return null;
    this.#batch.push({ ...pick, line, endorser: meant.endorser, contest: meant.contest });
    this.result.staged += 1;
    if (this.#batch.length >= BATCH_ROWS) await this.flush();
    return null;
  }

  /** Notes that the table has a list of an endorser in an election, also if the row makes no endorsement. */
  async #noteList({ endorser, election, unsure }: MatchedRow): Promise<void> {
    if (endorser === null || unsure.endorser || election === null || this.#options.lookOnly) return;
    this.#lists.set(`${endorser.slug} ${election}`, { endorser: endorser.slug, election });
    if (this.#lists.size >= BATCH_ROWS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#batch.length > 0) await stageRows(this.#client, this.#batch);
    if (this.#lists.size > 0) await stageLists(this.#client, [...this.#lists.values()]);
    this.#batch = [];
    this.#lists.clear();
  }

  #report(
    fate: Fate,
    line: number,
    known: KnownRow | null,
    { reason, proposed = '' }: { reason: string; proposed?: string },
    isResolved = false,
  ): void {
    const { row = null, matched = null } = known ?? {};
    this.#options.onRow?.({ line, fate, reason, row, matched, proposed });
    const { endorser = null, contest = null, choice = null, position = null } = row ?? {};
    this.result.outcome.add(
      fate,
      { line, endorser, contest, choice: choice ?? position ?? null, proposed, reason },
      isResolved,
    );
  }
}

/** A row with the decision about it. An endorser of all rows counts before the one that was decided on. */
function applyDecision(
  row: EndorsementRow,
  decided: UploadDecision | undefined,
  { constants }: EndorsementColumns,
): EndorsementRow {
  if (decided === undefined) return row;
  const endorser = constants.endorser === undefined ? (decided.endorser ?? row.proposed.endorser) : null;
  return { ...row, decision: decided.decision, proposed: { ...row.proposed, endorser } };
}

/** The reason for a row's grade, and the choice that it probably means, for a report. */
const describeGuess = (matched: MatchedRow) => ({
  reason: matched.reasons.join('; '),
  proposed: showProposal(matched),
});

const showProposal = ({ contest, choice }: Pick<MatchedRow, 'contest' | 'choice'>): string =>
  contest === null ? '' : `${contest.key}${choice === null ? '' : `/${choice.key}`}`;
