import { count } from '../table.ts';

/** Why a line of a file was refused. */
export interface LineRefusal {
  file: string;
  line: number;
  /** Null where the line as a whole is at fault. */
  field: string | null;
  message: string;
  /** What the record calls itself, where it says. */
  name: string | null;
}

/** Refusals in the order in which they were found: all of them counted, the first kept. */
export interface RefusalList {
  add(refusal: LineRefusal): void;
  readonly total: number;
  readonly kept: LineRefusal[];
}

/** The number of refusals that are listed; beyond it they are a count. */
export const MAX_LISTED = 100;

/** A list that keeps the first refusals, so that a file of nothing but bad lines costs no memory. */
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

/** The list as lines of text, with a last one that says how many are left out. */
export function formatRefusals(refusals: LineRefusal[], total: number): string[] {
  const lines = refusals.map(formatRefusal);
  return total > refusals.length ? [...lines, `… and ${count(total - refusals.length)} more`] : lines;
}

/** What a record calls itself, refused or not; null where it has no text for a name. */
export function nameOfRecord(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const { key, slug, name, title, endorser, contest, choice } = json as Record<string, unknown>;
  if (typeof endorser === 'string' && typeof contest === 'string') {
    return printable(`${endorser} in ${contest}${typeof choice === 'string' ? `: ${choice}` : ''}`);
  }
  const text = [key, slug, name, title].find((value) => typeof value === 'string');
  return text === undefined ? null : printable(text as string);
}

/** Text of a record that is known to be wrong may hold anything, and is to be printed on a terminal. */
function printable(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain;
}
