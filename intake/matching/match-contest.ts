import { distance } from 'fastest-levenshtein';
import { readAnswer } from '../tables/answers.ts';
import type { ElectionIndex, IndexedContest } from './catalogue-index.ts';
import { hasOtherChamber, readContestWords, renameMeasure, showWords, unitOf } from './contest-words.ts';
import { foldParty } from './parties.ts';
import type { RowNames } from './row-names.ts';

/** A row's texts about its contest. Empty texts are null. */
export type ContestText = Pick<RowNames, 'contest' | 'district' | 'party'>;

/** The contests that a text can mean. */
export interface FittingContests {
  /** Those that it names exactly. Several, if it names an office of several districts, say. */
  exact: readonly IndexedContest[];
  /** Those that it probably means, with the reason. */
  close: ReadonlyMap<IndexedContest, string>;
  /** The most similar ones, if none fits. */
  nearest: readonly IndexedContest[];
  /** Those of which it can be another name, if none fits. */
  similar?: readonly IndexedContest[];
}

const NEAREST = 3;
/** The most contests of which a text can be another name. */
const MAX_SIMILAR = 200;
/** The shortest word in which one letter may differ. */
const MIN_TYPO_LETTERS = 5;

/** Whether one text has another number of the same unit, such as another district. */
function hasOtherNumber(given: ReadonlySet<string>, { allWords, units }: IndexedContest): boolean {
  if (units.size === 0) return false;
  return [...given].some((word) => !allWords.has(word) && units.has(unitOf(word) ?? ''));
}

function hasTypoOf(word: string, known: ReadonlySet<string>): boolean {
  if (unitOf(word) !== null || word.length < MIN_TYPO_LETTERS) return false;
  return [...known].some(
    (other) => other.length >= MIN_TYPO_LETTERS && unitOf(other) === null && distance(word, other) === 1,
  );
}

type Fit = 'exact' | { close: string } | null;

function compare(given: ReadonlySet<string>, contest: IndexedContest): Fit {
  const { allWords, titles } = contest;
  const named = titles.find(({ words }) => words.size > 0 && words.isSubsetOf(given));
  if (named && given.isSubsetOf(allWords)) return 'exact';
  if (contest.kind === 'measure') {
    const renamed = renameMeasure(given, allWords);
    if (renamed.difference(given).size > 0) {
      const fit = compare(renamed, contest);
      return fit === 'exact' ? { close: `the measure is called "${contest.short_title}"` } : fit;
    }
  }
  if (given.size === 0 || hasOtherNumber(given, contest)) return null;
  if (given.isSubsetOf(allWords)) {
    const missing = titles.map(({ words }) => words.difference(given)).toSorted((a, b) => a.size - b.size)[0];
    return { close: `the contest has more words: ${showWords(missing ?? [])}` };
  }
  const extra = given.difference(allWords);
  if (named) return { close: `the contest does not have these words: ${showWords(extra)}` };
  const [typo, ...others] = extra;
  if (typo !== undefined && others.length === 0 && hasTypoOf(typo, allWords)) {
    const rest = given.difference(extra);
    const missing = titles.some(({ words }) => words.difference(rest).size === 1);
    if (missing) return { close: `one letter differs in "${typo}"` };
  }
  return null;
}

/** The contests with the most words in common. */
function findNearest(given: ReadonlySet<string>, contests: readonly IndexedContest[]): IndexedContest[] {
  const scored = contests.map((contest) => {
    const common = given.intersection(contest.allWords).size;
    const all = Math.max(1, given.size + (contest.titles[0]?.words.size ?? 0));
    return { contest, score: common / all };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, NEAREST)
    .map(({ contest }) => contest);
}

/** The election's contests in the district, and the words of the district that the contest must have. */
function chooseDistrict(index: ElectionIndex, district: string | null) {
  const none = { contests: index.contests, words: new Set<string>(), isDivision: false };
  if (district === null || readAnswer(district) === 'nothing') return none;
  if (district.startsWith('ocd-division/')) {
    const contests = index.contests.filter((contest) => contest.district.ocd_id === district);
    return { ...none, contests, isDivision: true };
  }
  const number = /^0*([0-9]+)$/.exec(district)?.[1];
  const { words } = readContestWords(number === undefined ? district : `district ${number}`, index.state);
  return { ...none, words };
}

/**
 * The contests for which a text can be another name: they share a word, and contradict no number and no chamber. None if
 * there are many, because the text then says too little.
 */
function findSimilar(given: ReadonlySet<string>, contests: readonly IndexedContest[]): IndexedContest[] {
  const similar = contests.filter(
    (known) =>
      !given.isDisjointFrom(known.allWords) &&
      !hasOtherNumber(given, known) &&
      !hasOtherChamber(given, known.allWords),
  );
  return similar.length > MAX_SIMILAR ? [] : similar;
}

/** Finds the contests of an election that a row can mean, by key, slug or OCD id, or by the words of their names. */
export function findContests(
  index: ElectionIndex,
  { contest, district, party }: ContestText,
): FittingContests {
  const text = contest ?? '';
  const named = index.byKey.get(text) ?? index.byKey.get(`${index.election.slug}/${text}`);
  if (named) return { exact: [named], close: new Map(), nearest: [] };
  const place = chooseDistrict(index, district);
  const read = readContestWords(text, index.state);
  const given = read.words.union(place.words);
  const wanted = read.party ?? foldParty(party);
  // The endorsement of a primary does not hold in the election after it.
  const isOfPrimary = read.isPrimary && index.election.type === 'general';
  const contests = place.contests.filter(
    (known) => known.party === null || wanted === null || known.party === wanted,
  );
  const exact: IndexedContest[] = [];
  const close = new Map<IndexedContest, string>();
  for (const known of contests) {
    if (contest === null) {
      if (place.words.isSubsetOf(known.allWords)) close.set(known, 'the row names no contest');
      continue;
    }
    // The id of a division says as much as the words of its name.
    const said = place.isDivision ? given.union(known.placeWords) : given;
    const isOfChamber =
      read.chamber !== null && compare(said.union(new Set([read.chamber])), known) === 'exact';
    const found = isOfChamber ? 'exact' : compare(said, known);
    if (found === 'exact' && isOfPrimary && !known.titles.some((title) => title.isPrimary)) {
      close.set(known, 'it says primary, and the election is a general one');
    } else if (found === 'exact') exact.push(known);
    else if (found !== null) close.set(known, found.close);
  }
  if (exact.length + close.size > 0) return { exact, close, nearest: [] };
  const nearest = findNearest(given, index.contests);
  return { exact, close, nearest, similar: findSimilar(given, place.contests) };
}
