import { GRADES, type Grade } from '../matching/grade.ts';
import { type Report, type ReportSection, SectionRows } from '../reports/report.ts';

/** The most contests that a report counts one by one. */
const MAX_CONTESTS = 2_000;

export const FATES = [...GRADES, 'decided', 'left out', 'not representable', 'refused'] as const;
/** The outcome of a row. */
export type Fate = (typeof FATES)[number];

/** A row for the report. */
export interface ReportedRow {
  line: number;
  endorser: string | null;
  contest: string | null;
  choice: string | null;
  /** The keys of the contest and choice that the row probably means. */
  proposed: string;
  reason: string;
}

const COLUMNS = ['line', 'endorser', 'contest', 'choice', 'proposed', 'reason'];

const SECTIONS: readonly (readonly [Fate, string, string])[] = [
  ['refused', 'Rows that cannot be used', 'Correct these rows in the table.'],
  [
    'ambiguous',
    'Ambiguous rows',
    'Write the key of the right choice, or CONTEST/CHOICE, into the column "decision" of the review file.',
  ],
  [
    'none',
    'Rows without a match',
    'Correct the names, or write a key into the column "decision" of the review file.',
  ],
  ['close', 'Close matches', 'Write yes or no into the column "decision" of the review file.'],
  ['not representable', 'Rows that no endorsement can say', 'Nothing was made of these rows.'],
];

/** Counts what becomes of the rows of a table, and keeps the first of those that need a person. */
export class IntakeOutcome {
  readonly #counts = new Map<Fate, number>();
  readonly #sections = new Map(
    SECTIONS.map(([fate, title, advice]) => [fate, new SectionRows({ title, advice, columns: COLUMNS })]),
  );
  readonly #contests = new Map<string, Map<Fate, number>>();
  /** Rows that a person must decide on or correct. A file with such rows must not replace anything. */
  unresolved = 0;

  /** @param isResolved whether nothing about the row is open */
  add(fate: Fate, row: ReportedRow, isResolved: boolean): void {
    this.#counts.set(fate, this.count(fate) + 1);
    if (!isResolved) this.unresolved += 1;
    this.#sections.get(fate)?.add(row.line, row.endorser, row.contest, row.choice, row.proposed, row.reason);
    const name = row.contest ?? '';
    const contest =
      this.#contests.get(name) ?? (this.#contests.size < MAX_CONTESTS ? new Map<Fate, number>() : null);
    if (contest === null) return;
    this.#contests.set(name, contest.set(fate, (contest.get(fate) ?? 0) + 1));
  }

  count(fate: Fate): number {
    return this.#counts.get(fate) ?? 0;
  }

  get rows(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The counts and lists of a report. */
  get report(): Pick<Report, 'counts' | 'sections'> {
    const shown = FATES.filter((fate) => this.count(fate) > 0 || GRADES.includes(fate as Grade));
    const contests = new SectionRows({ title: 'By contest', columns: ['contest', ...shown] }, MAX_CONTESTS);
    for (const [name, counts] of this.#contests)
      contests.add(name, ...shown.map((fate) => counts.get(fate) ?? null));
    const sections: ReportSection[] = [...this.#sections.values(), contests].flatMap((rows) => rows.sections);
    return {
      counts: [
        { label: 'rows', count: this.rows },
        ...shown.map((fate) => ({ label: fate, count: this.count(fate) })),
      ],
      sections,
    };
  }
}
