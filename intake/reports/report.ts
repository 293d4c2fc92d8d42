import { shorten } from '../../schemas/problems.ts';

/** The value of a place in a table of a report: a text from outside may be in it. */
export type ReportCell = string | number | null;

/** A list of a report, of which the first rows are kept. */
export interface ReportSection {
  title: string;
  /** The advice about the rows; null without any. */
  advice: string | null;
  columns: string[];
  /** The first rows, each as long as `columns`. */
  rows: ReportCell[][];
  /** The number of all rows. */
  total: number;
}

/** The report of an import for people. Its JSON form is this object. */
export interface Report {
  title: string;
  /** Facts about the files and options, such as the encoding. */
  facts: { label: string; value: string }[];
  counts: { label: string; count: number }[];
  sections: ReportSection[];
}

/** The rows that a section keeps, unless its caller says otherwise. */
const MAX_ROWS = 1_000;
/** The longest text of a cell, in characters. */
const MAX_TEXT = 500;

/** Collects the rows of a section: all are counted, and the first are kept. */
export class SectionRows {
  readonly #head: Omit<ReportSection, 'rows' | 'total'>;
  readonly #most: number;
  readonly #rows: ReportCell[][] = [];
  #total = 0;

  constructor(head: { title: string; advice?: string; columns: string[] }, most = MAX_ROWS) {
    this.#head = { title: head.title, advice: head.advice ?? null, columns: head.columns };
    this.#most = most;
  }

  add(...row: ReportCell[]): void {
    this.#total += 1;
    if (this.#rows.length < this.#most) this.#rows.push(row.map(shortenCell));
  }

  get total(): number {
    return this.#total;
  }

  /** The section; an empty list if it has no rows. */
  get sections(): ReportSection[] {
    return this.#total === 0 ? [] : [{ ...this.#head, rows: this.#rows, total: this.#total }];
  }
}

const shortenCell = (cell: ReportCell): ReportCell =>
  typeof cell === 'string' ? shorten(cell, MAX_TEXT) : cell;
