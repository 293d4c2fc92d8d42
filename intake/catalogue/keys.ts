import { createHash } from 'node:crypto';
import { normalizeText } from '../../schemas/text.ts';

/** The longest part of a key that is made from a name, in characters. Longer ones end in a hash of the whole name. */
const MAX_SLUG = 80;
/** The longest key, in characters; a file allows 200. */
const MAX_KEY = 160;
const HASH_DIGITS = 10;

/**
 * The words of a name as a part of a key: lower-case ASCII letters and digits with single hyphens. Case, accents,
 * apostrophes, punctuation and spaces do not count. A name in other letters becomes a hash, so that it has a key too.
 *
 * @returns an empty text if the name has no letter and no digit
 */
export function slugOf(name: string): string {
  // Decomposed, an acute accent that serves as an apostrophe is a space.
  const plain = normalizeText(name).replace(/['’`´]/g, '');
  const folded = plain.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const spelled = folded.replaceAll('.', '').replaceAll('&', ' and ');
  const words = spelled.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const slug = words.join('-');
  return /^[a-z0-9-]*$/.test(slug) ? shortenKey(slug, MAX_SLUG) : hashed(slug, MAX_SLUG);
}

const shortenKey = (slug: string, length: number): string =>
  slug.length <= length ? slug : hashed(slug, length);

/** The start of a text, and a hash of it all. */
function hashed(text: string, length: number): string {
  const readable = text.replace(/[^a-z0-9-]/g, '').replace(/-+/g, '-');
  const start = readable.slice(0, length - HASH_DIGITS - 1).replace(/^-|-$/g, '');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
  return start === '' ? hash : `${start}-${hash}`;
}

/** A record whose key is made from names. */
export interface Named {
  /** The names that every key has, in order. Blank ones are left out. */
  parts: readonly string[];
  /** Further names, which tell records with equal parts apart, the best first. */
  further: readonly string[];
}

const NAMELESS: Named = { parts: [], further: [] };

/**
 * Makes the keys of records within one whole, such as the contests of an election (docs/data-formats.md, "Keys from
 * names"). Records with equal parts each get the next further name, until their keys differ. The result depends neither
 * on the order of the records nor on anything else but their names.
 *
 * @param given the names of each record; null if a part of them is missing
 * @returns a key for each record, in their order; null for records whose names do not tell them apart, or are blank or
 * missing
 */
export function makeKeys(given: readonly (Named | null)[]): (string | null)[] {
  const pieces = makeKeysInPieces(given);
  let piece = pieces.next();
  while (!piece.done) piece = pieces.next();
  return piece.value;
}

/** Does the work of `makeKeys`. Yields after each record, so that a process can do its other work. */
export function* makeKeysInPieces(given: readonly (Named | null)[]): Generator<void, (string | null)[]> {
  const records = given.map((named) => named ?? NAMELESS);
  const used = records.map(() => 0);
  const most = records.reduce((longest, { further }) => Math.max(longest, further.length), 0);
  for (let round = 0; ; round += 1) {
    const keys: string[] = [];
    const counts = new Map<string | undefined, number>();
    for (const [index, { parts, further }] of records.entries()) {
      const slugs = [...parts, ...further.slice(0, used[index])].map(slugOf);
      const key = shortenKey(slugs.filter(Boolean).join('-'), MAX_KEY);
      keys.push(key);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      yield;
    }
    const shared = (index: number) => (counts.get(keys[index]) ?? 0) > 1;
    const longer: number[] = [];
    for (const [index, { further }] of records.entries()) {
      if (shared(index) && (used[index] ?? 0) < further.length) longer.push(index);
      yield;
    }
    // Each round makes a key longer, so that a record takes part in at most as many rounds as it has names.
    if (longer.length === 0 || round > most * 2) {
      return keys.map((key, index) => (key === '' || shared(index) ? null : key));
    }
    for (const index of longer) used[index] = (used[index] ?? 0) + 1;
  }
}
