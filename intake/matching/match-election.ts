import { readDate } from '../tables/dates.ts';
import type { ElectionEntry } from './catalogue-index.ts';
import { listSome, type Match } from './grade.ts';
import { foldText, foldWords } from './words.ts';

/** The texts of a row or an option about its election. Empty texts are null. */
export interface ElectionText {
  /** A slug, a name, or a date. */
  election: string | null;
  date: string | null;
  /** A code or a name. */
  state: string | null;
}

const show = ({ name, slug }: ElectionEntry) => `${name} (${slug})`;

const namesOf = ({ slug, name, short_name: shortName }: ElectionEntry) =>
  [slug, name, ...(shortName === null ? [] : [shortName])].map(foldText);

/** All words by which people name an election: its names, date, year and state. */
const wordsOf = (entry: ElectionEntry) =>
  new Set([
    ...namesOf(entry).flatMap((name) => name.split(' ')),
    ...foldWords(`${entry.date} ${entry.state_name}`),
  ]);

export interface ElectionMatch extends Match<ElectionEntry> {
  /** All elections that fit, if several do. */
  candidates: readonly ElectionEntry[];
  /** Why one of several is not exact, even if the rest of a row fits only this one; null if it is. */
  doubt: string | null;
}

const YEAR = /^\s*([0-9]{4})\s*$/;
const YEAR_ONLY = 'election: only the year is given';

/** Matches a row's election: all that the row says must fit. */
export function matchElection(
  elections: readonly ElectionEntry[],
  { election, date, state }: ElectionText,
): ElectionMatch {
  const [, year] = YEAR.exec(date ?? '') ?? [];
  const day = year ?? (date === null ? null : readDate(date));
  const wantedState = foldText(state ?? '');
  const fitting = elections.filter(
    (entry) =>
      (date === null || (day !== null && entry.date.startsWith(day))) &&
      (state === null || [entry.state, entry.state_name].some((name) => foldText(name) === wantedState)),
  );
  const doubt = year === undefined ? null : YEAR_ONLY;
  const chooseFrom = (found: readonly ElectionEntry[], reason: string | null = null) =>
    choose(found, fitting, reason ?? (election === null ? doubt : null));
  if (election === null) return chooseFrom(fitting);
  const bySlug = fitting.filter(({ slug }) => slug === election.trim());
  if (bySlug.length > 0) return chooseFrom(bySlug);
  const electionDay = readDate(election);
  if (electionDay !== null) return chooseFrom(fitting.filter((entry) => entry.date === electionDay));
  const folded = foldText(election);
  const named = fitting.filter((entry) => namesOf(entry).includes(folded));
  if (named.length > 0) return chooseFrom(named);
  const words = new Set(foldWords(election));
  const close = words.size === 0 ? [] : fitting.filter((entry) => words.isSubsetOf(wordsOf(entry)));
  return chooseFrom(close, YEAR.test(folded) ? YEAR_ONLY : 'election: the name has more words');
}

function choose(
  found: readonly ElectionEntry[],
  nearest: readonly ElectionEntry[],
  reason: string | null,
): ElectionMatch {
  const [first, ...others] = found;
  if (first === undefined) {
    const near = nearest.length === 0 ? '' : `; the nearest are ${listSome(nearest.slice(-3).map(show))}`;
    return { grade: 'none', value: null, reason: `no such election${near}`, candidates: [], doubt: null };
  }
  if (others.length > 0) {
    const why = `the election can be ${listSome(found.map(show))}`;
    return { grade: 'ambiguous', value: null, reason: why, candidates: found, doubt: reason };
  }
  return { grade: reason === null ? 'exact' : 'close', value: first, reason, candidates: [], doubt: reason };
}
