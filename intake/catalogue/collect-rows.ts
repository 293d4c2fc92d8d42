import { MAX_CHOICES } from '../../schemas/catalogue/contest-fields.ts';
import { shorten, showValue } from '../../schemas/problems.ts';
import { normalizeText } from '../../schemas/text.ts';
import type { ElectionType } from '../../schemas/vocabulary.ts';
import type { Columns } from '../tables/columns.ts';
import { readBothWays, readDayFirst } from '../tables/dates.ts';
import type { Table } from '../tables/read-table.ts';
import { TableError } from '../tables/table-error.ts';
import { readCellOf } from './cell-values.ts';
import type { DraftProblem } from './draft.ts';
import { type GivenValues, textOf } from './given-values.ts';
import { slugOf } from './keys.ts';
import { CATALOGUE_FIELDS, type CatalogueField } from './table-fields.ts';

/** The most memory of rows, in bytes, about: the contests of an election are collected from all of its rows. */
const MAX_HELD_BYTES = 512 * 1024 * 1024;
/** The memory of a row besides its texts. */
const ROW_BYTES = 1_000;

/** The most rows that cannot be read to name. */
const MAX_FAULTS = 5;

export interface TableOptions {
  /** The slug of the election of rows that name none. */
  election?: string | null;
  /** The type of elections whose rows do not say it. */
  electionType?: ElectionType | null;
  /** The most memory of the rows, in bytes, about. */
  maxHeldBytes?: number;
  /** The place of a column that names counties, and that holds no field; -1 if there is none. */
  countyAt?: number;
  /** Awaited after each row, contest and key, so that a process can do its other work. */
  pause?: () => Promise<void>;
}

/** The rows of a choice, a contest or an election that say what it is, put together. */
export interface Collected {
  /** The first line. */
  line: number;
  values: GivenValues;
  problems: DraftProblem[];
}
/** A choice of a contest. */
interface CollectedChoice extends Collected {
  /** The number of its rows, which all say the same. */
  count: number;
  /** The line of the second one; null if there is one only. */
  again: number | null;
}
export interface CollectedContest extends Collected {
  /** The choices in the order of their rows, by what their rows say. */
  choices: Map<string, CollectedChoice>;
  /** What the choices of each county's rows say, by the county. */
  counties: Map<string, Set<string>>;
}
export interface CollectedElection extends Collected {
  contests: Map<string, CollectedContest>;
  /** The memory of its rows, about. */
  bytes: number;
}

/** The values of a row by the record that they describe. */
interface Row {
  line: number;
  county: string;
  election: GivenValues;
  contest: GivenValues;
  choice: GivenValues;
  problems: DraftProblem[];
}

/** Elections whose rows are all collected, by what names them. */
export interface CollectedRows {
  elections: ReadonlyMap<string, CollectedElection>;
  /** Whether the table has further elections, which did not fit into memory. */
  hasMore: boolean;
}

/**
 * Collects the rows of a table by election and contest, as many elections as fit into memory. The rows of a contest need
 * not be adjacent. A cell that is blank says nothing, and rows that contradict each other are problems of their lines.
 *
 * @param before the elections that an earlier reading of the table has collected
 * @throws TableError if one election has too much text, or the table has rows that cannot be read
 */
export async function collectRows(
  { rows }: Table,
  { places }: Columns<CatalogueField>,
  { election = null, electionType = null, maxHeldBytes = MAX_HELD_BYTES, countyAt = -1, pause }: TableOptions,
  before: ReadonlySet<string>,
): Promise<CollectedRows> {
  const collected = new Collection(maxHeldBytes);
  const faults: string[] = [];
  let faultCount = 0;
  const orders = new DayOrders();
  for await (const item of rows) {
    if (pause) await pause();
    if ('fault' in item) {
      faultCount += 1;
      if (faults.length < MAX_FAULTS) faults.push(`line ${item.line} ${item.fault}`);
      continue;
    }
    const { line, cells } = item;
    const row = { ...readRow(line, cells, places), county: normalizeText(cells[countyAt] ?? '') };
    const { election: values } = row;
    if (election !== null && !values.has('election')) values.set('election', { value: election, line });
    if (electionType !== null && values.has('election_date') && !values.has('election_type')) {
      values.set('election_type', { value: electionType, line });
    }
    const key = electionOf(row);
    orders.note(key, line, cells[places.get('election_date') ?? -1] ?? '');
    const bytes = ROW_BYTES + cells.reduce((sum, cell) => sum + cell.length, 0);
    if (!before.has(key)) collected.add(key, row, bytes);
  }
  if (faultCount > 0) {
    // Such a row can be of any contest, whose choice would vanish without it.
    const more = faultCount > faults.length ? `, and ${faultCount - faults.length} more` : '';
    throw new TableError(`Correct or remove the rows that cannot be read: ${faults.join('; ')}${more}`);
  }
  for (const [key, problem] of orders.findProblems()) collected.elections.get(key)?.problems.push(problem);
  return collected;
}

/** Finds the elections whose days a column can mean with the day first, because another date of it fits only so. */
class DayOrders {
  #dayFirst: string | null = null;
  /** The first such day of each election. */
  readonly #open = new Map<string, { line: number; text: string }>();

  note(election: string, line: number, text: string): void {
    if (readDayFirst(text) !== null) this.#dayFirst ??= `line ${line} has ${showValue(text.trim())}`;
    else if (readBothWays(text) !== null && !this.#open.has(election))
      this.#open.set(election, { line, text });
  }

  *findProblems(): Generator<[election: string, problem: DraftProblem]> {
    if (this.#dayFirst === null) return;
    for (const [election, { line, text }] of this.#open) {
      const dates = readBothWays(text)?.join(' or ');
      const message = `must be YYYY-MM-DD, because ${this.#dayFirst}, with the day first: write ${dates}, is ${showValue(text.trim())}`;
      yield [election, { line, field: 'election_date', message }];
    }
  }
}

/** Elections in bounded memory. The last ones leave it for a later reading of the table. */
class Collection implements CollectedRows {
  readonly elections = new Map<string, CollectedElection>();
  readonly #later = new Set<string>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get hasMore(): boolean {
    return this.#later.size > 0;
  }

  /** Adds a row to its election, unless that has left. @throws TableError if one election has too much text */
  add(key: string, row: Row, bytes: number): void {
    if (this.#later.has(key)) return;
    let held = this.elections.get(key);
    if (!held) {
      held = { line: row.line, values: new Map(), problems: [], contests: new Map(), bytes: 0 };
      this.elections.set(key, held);
    }
    held.bytes += bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#removeLast(row.line);
    merge(held, row.election, 'the election');
    if (row.contest.size + row.choice.size > 0) addContest(held, row);
    else held.problems.push(...row.problems);
  }

  #removeLast(line: number): void {
    const last = [...this.elections].at(-1);
    if (!last || this.elections.size === 1) {
      throw new TableError(
        `The election of line ${line} has more than ${this.#maxBytes.toLocaleString('en-US')} bytes: import it in parts, with --keep-missing.`,
      );
    }
    const [key, { bytes }] = last;
    this.#bytes -= bytes;
    this.elections.delete(key);
    this.#later.add(key);
  }
}

function readRow(line: number, cells: string[], places: ReadonlyMap<CatalogueField, number>) {
  const row: Omit<Row, 'county'> = {
    line,
    election: new Map(),
    contest: new Map(),
    choice: new Map(),
    problems: [],
  };
  for (const [name, place] of places) {
    const text = cells[place]?.trim() ?? '';
    if (text === '') continue;
    const { of } = CATALOGUE_FIELDS[name];
    const read = readCellOf(name, text);
    if ('fault' in read) row.problems.push({ line, field: name, message: read.fault });
    else row[of].set(name, { value: read.value, line });
  }
  return row;
}

/** The election of a row: its slug, or else its state, day and type. */
const electionOf = ({ election: values }: Row): string =>
  normalizeText(textOf(values, 'election')) ||
  (['state', 'election_date', 'election_type'] as const).map((name) => textOf(values, name)).join(' ');

function addContest(election: CollectedElection, row: Row): void {
  const { contest: values, choice, problems, line, county } = row;
  const title = textOf(values, 'measure') || textOf(values, 'contest');
  const given = textOf(values, 'contest_key');
  const others = ['district', 'district_ocd_id', 'primary_party'] as const;
  const names = [title, ...others.map((name) => textOf(values, name))].map(slugOf);
  const identity = given
    ? `key ${normalizeText(given.slice(given.lastIndexOf('/') + 1))}`
    : JSON.stringify([...names, values.get('unexpired')?.value === true]);
  let held = election.contests.get(identity);
  if (!held) {
    held = { line, values: new Map(), problems: [], choices: new Map(), counties: new Map() };
    election.contests.set(identity, held);
    if (!given && !title) {
      const message = 'is empty: name the contest in each of its rows';
      held.problems.push({ line, field: 'contest', message });
    }
  }
  held.problems.push(...problems);
  merge(held, values, given || title || 'the contest');
  // A table of voters, say, would otherwise fill the memory.
  if (choice.size === 0 || held.choices.size > MAX_CHOICES) return;
  const said = JSON.stringify([...choice].map(([field, { value: given }]) => [field, formOf(given)]));
  if (county !== '') held.counties.set(county, (held.counties.get(county) ?? new Set()).add(said));
  const same = held.choices.get(said);
  if (same) {
    same.count += 1;
    same.again ??= line;
    return;
  }
  held.choices.set(said, { line, values: choice, problems: [], count: 1, again: null });
  if (held.choices.size <= MAX_CHOICES) return;
  const message = `is one more than the ${MAX_CHOICES.toLocaleString('en-US')} choices that a contest can have`;
  held.problems.push({ line, field: null, message });
}

/** A value to compare: a text in its one form (contract, "Text"). */
const formOf = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? normalizeText(value) : value);

/** Adds the values of a row; a value that differs from an earlier row's is a problem. */
function merge(held: Collected, values: GivenValues, name: string): void {
  for (const [field, { value, line }] of values) {
    const first = held.values.get(field);
    if (!first) held.values.set(field, { value, line });
    else if (formOf(first.value) !== formOf(value)) {
      const advice = field === 'ballot_order' ? '; leave the column out if it orders candidates' : '';
      const message = `must be ${showValue(first.value)}, as in line ${first.line} for ${shorten(name)}, is ${showValue(value)}${advice}`;
      held.problems.push({ line, field, message });
    }
  }
}
