import { shorten } from '../../schemas/problems.ts';
import type { LineRefusal, RefusalCount } from '../../store/catalogue/refusals.ts';

/** Refusals in the order of their discovery: it counts all and keeps the first. */
export interface RefusalList {
  add(refusal: LineRefusal): void;
  readonly total: number;
  readonly kept: LineRefusal[];
  /** The number of refusals by file, field and reason. */
  readonly counts: RefusalCount[];
}

/** The number of listed refusals; others are only counted. */
export const MAX_LISTED = 100;
/** The most combinations of file, field and reason that are counted separately. */
const MAX_COUNTED = 1000;
/** The longest shown name of a record, in characters. */
const MAX_NAME = 120;

/** Creates a list that keeps only the first refusals, so that a file of bad lines takes little memory. */
export function createRefusalList(limit = MAX_LISTED): RefusalList {
  const kept: LineRefusal[] = [];
  const counts = new Map<string, RefusalCount>();
  let total = 0;
  return {
    add(refusal) {
      total += 1;
      if (kept.length < limit) kept.push(refusal);
      const counted = countedAs(refusal);
      const key = JSON.stringify(counted);
      const known = counts.get(key);
      if (known) known.count += 1;
      else if (counts.size < MAX_COUNTED) counts.set(key, { ...counted, count: 1 });
    },
    get total() {
      return total;
    },
    get counts() {
      return [...counts.values()];
    },
    kept,
  };
}

/** A refusal without its own details: the numbers of list items, and the found value. */
function countedAs({ file, field, message }: LineRefusal): Omit<RefusalCount, 'count'> {
  const [reason = message] = message.split(/, (?:is|has) |; |: /);
  return { file, field: field?.replaceAll(/\[[0-9]+\]/g, '[]') ?? null, reason };
}

/** The name of a record, valid or not; null if it has none. */
export function nameOfRecord(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const { key, slug, name, title, endorser, contest, choice } = json as Record<string, unknown>;
  if (typeof endorser === 'string' && typeof contest === 'string') {
    return shorten(`${endorser} in ${contest}${typeof choice === 'string' ? `: ${choice}` : ''}`, MAX_NAME);
  }
  const text = [key, slug, name, title].find((value) => typeof value === 'string');
  return text === undefined ? null : shorten(text as string, MAX_NAME);
}
