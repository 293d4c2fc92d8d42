import { distance } from 'fastest-levenshtein';
import { isDoubted } from '../tables/answers.ts';
import { listSome, type Match } from './grade.ts';
import { readPersonName } from './person-name.ts';
import { foldWords } from './words.ts';

/** An endorser as the matcher needs it. */
export interface EndorserEntry {
  slug: string;
  name: string;
}

export interface EndorserIndex {
  bySlug: ReadonlyMap<string, EndorserEntry>;
  byName: ReadonlyMap<string, readonly EndorserEntry[]>;
  /** By names without titles, parentheses and legal forms. */
  byShortName: ReadonlyMap<string, readonly EndorserEntry[]>;
  /** By first letters. */
  byInitials: ReadonlyMap<string, readonly EndorserEntry[]>;
}

const SMALL = new Set(['the', 'inc', 'incorporated', 'llc']);
const CONNECTING = new Set(['of', 'and', 'for', 'the', 'in', 'on', 'a']);
const MIN_INITIALS = 3;
/** The shortest name in which one letter may differ, without spaces. */
const MIN_TYPO_LETTERS = 6;
const NEAREST = 3;

/** Without spaces, except between numbers: Local 12-1 is another union than Local 121. */
const join = (text: string) =>
  foldWords(text)
    .filter((word) => !SMALL.has(word))
    .join(' ')
    .replace(/(?<!\d) | (?!\d)/g, '');
const withoutParentheses = (text: string) => text.replace(/\([^)]*\)/g, ' ');
/** The numbers of a name. Local 12 is another union than Local 112. */
const numbersOf = (text: string) => withoutParentheses(text).match(/\d+/g)?.join(' ');
const shortName = (text: string) => readPersonName(withoutParentheses(text));
const initialsOf = (text: string) =>
  foldWords(withoutParentheses(text))
    .filter((word) => !CONNECTING.has(word))
    .map((word) => word[0])
    .join('');

/** Prepares endorsers for matching. */
export function indexEndorsers(entries: readonly EndorserEntry[]): EndorserIndex {
  const initialled = entries.filter(({ name }) => initialsOf(name).length >= MIN_INITIALS);
  return {
    bySlug: new Map(entries.map((entry) => [entry.slug, entry])),
    byName: Map.groupBy(entries, ({ name }) => join(name)),
    byShortName: Map.groupBy(entries, ({ name }) => shortName(name).joined),
    byInitials: Map.groupBy(initialled, ({ name }) => initialsOf(name)),
  };
}

const show = ({ name, slug }: EndorserEntry) => `${name} (${slug})`;

function choose(found: readonly EndorserEntry[], reason: string | null): Match<EndorserEntry> | null {
  const [first, ...others] = found;
  if (first === undefined) return null;
  if (others.length > 0) {
    return { grade: 'ambiguous', value: null, reason: `the endorser can be ${listSome(found.map(show))}` };
  }
  return reason === null
    ? { grade: 'exact', value: first, reason: null }
    : { grade: 'close', value: first, reason: `endorser: ${reason}` };
}

/**
 * Matches the name or slug of an endorser.
 *
 * @param isOfAccount whether the index has only the endorsers of an account; the reason says so
 */
export function matchEndorser(index: EndorserIndex, text: string, isOfAccount = false): Match<EndorserEntry> {
  const joined = join(text);
  const bySlug = index.bySlug.get(text);
  const byName = index.byName.get(joined) ?? [];
  const isSure = ({ name }: EndorserEntry) => !isDoubted(text) || isDoubted(name);
  const exact = choose(
    bySlug ? [...new Set([bySlug, ...byName])] : byName,
    byName.every(isSure) ? null : 'a sign beside the name may say something else',
  );
  if (exact) return exact;
  const short = shortName(text);
  const byShortName = [short.joined, short.titled ?? short.joined].flatMap(
    (name) => index.byShortName.get(name) ?? [],
  );
  const hasNumbers = ({ name }: EndorserEntry) => numbersOf(name) === numbersOf(text);
  const close =
    choose(
      [...new Set(byShortName)].filter(hasNumbers),
      'it differs in a title, in words in parentheses, or in the order of names',
    ) ??
    choose(index.byInitials.get(joined) ?? [], 'the letters are its initials') ??
    choose(index.byName.get(initialsOf(text)) ?? [], 'its name is these initials');
  if (close) return close;
  const near = findNearest(index, joined);
  const typos = near.filter(
    ({ entry, differing }) => differing === 1 && joined.length >= MIN_TYPO_LETTERS && hasNumbers(entry),
  );
  const typo = choose(
    typos.map(({ entry }) => entry),
    'one letter differs',
  );
  if (typo) return typo;
  const names = near.map(({ entry }) => show(entry));
  const endorser = isOfAccount ? 'endorser of your account' : 'endorser';
  const reason =
    names.length === 0
      ? `no ${endorser} has a similar name`
      : `no such ${endorser}; the nearest are ${listSome(names)}`;
  return { grade: 'none', value: null, reason };
}

/** The endorsers whose names need the fewest changes of letters. */
function findNearest(index: EndorserIndex, joined: string) {
  let nearest: { entry: EndorserEntry; differing: number }[] = [];
  for (const [name, entries] of index.byName) {
    const worst = nearest.length < NEAREST ? Math.ceil(joined.length / 2) : (nearest.at(-1)?.differing ?? 0);
    if (Math.abs(name.length - joined.length) > worst) continue;
    const differing = distance(name, joined);
    if (differing > worst) continue;
    nearest.push(...entries.slice(0, NEAREST).map((entry) => ({ entry, differing })));
    nearest = nearest.toSorted((a, b) => a.differing - b.differing).slice(0, NEAREST);
  }
  return nearest;
}
