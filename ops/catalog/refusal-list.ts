import { count } from '../table.ts';

/** The reason that a line of a file is refused. */
export interface LineRefusal {
  file: string;
  line: number;
  /** Null if the whole line is at fault. */
  field: string | null;
  message: string;
  /** The record's own name, if it has one. */
  name: string | null;
}

/** Refusals in the order in which they were found: all are counted, the first are kept. */
export interface RefusalList {
  add(refusal: LineRefusal): void;
  readonly total: number;
  readonly kept: LineRefusal[];
}

/** The number of refusals that are listed; the others are only counted. */
export const MAX_LISTED = 100;

/** Creates a list that keeps only the first refusals, so that a file of bad lines takes little memory. */
export function createRefusalList(limit = MAX_LISTED): RefusalList {
  const kept: LineRefusal[] = [];
  let total = 0;
  return {
    add(refusal) {
      total += 1;
      if (kept.length < limit) kept.push(refusal);
    },
    get total() {
      return total;
    },
    kept,
  };
}

/** `elections.ndjson:3: field date: must be …, is null (ga-2018-primary-runoff)`. */
export function formatRefusal({ file, line, field, message, name }: LineRefusal): string {
  const where = field === null ? '' : `field ${field}: `;
  return `${file}:${line}: ${where}${message}${name === null ? '' : ` (${name})`}`;
}

/** The list as lines of text; the last one gives the number of refusals that are not listed. */
export function formatRefusals(refusals: LineRefusal[], total: number): string[] {
  const lines = refusals.map(formatRefusal);
  return total > refusals.length ? [...lines, `… and ${count(total - refusals.length)} more`] : lines;
}

/** The name of a record, valid or not; null if it has none. */
export function nameOfRecord(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const { key, slug, name, title, endorser, contest, choice } = json as Record<string, unknown>;
  if (typeof endorser === 'string' && typeof contest === 'string') {
    return printable(`${endorser} in ${contest}${typeof choice === 'string' ? `: ${choice}` : ''}`);
  }
  const text = [key, slug, name, title].find((value) => typeof value === 'string');
  return text === undefined ? null : printable(text as string);
}

/** Makes the text of an invalid record, which may hold anything, safe to print on a terminal. */
function printable(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain;
}
