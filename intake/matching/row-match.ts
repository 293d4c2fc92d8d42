import type { ChoiceEntry, Contender, IndexedContest } from './catalogue-index.ts';
import type { Grade } from './grade.ts';
import { type GivenName, nearestContenders } from './match-choice.ts';

/** The outcome for a row within its election. */
export interface RowMatch {
  grade: Grade;
  /** Set if one contest fits. */
  contest: IndexedContest | null;
  /** Set if one choice fits. */
  choice: ChoiceEntry | null;
  reasons: string[];
  /** The row's text, if no submission can say it. Its grade is then of no matter. */
  unrepresentable: { text: string; isUnderstood: boolean } | null;
  /** The number of contests that the row can mean. */
  fits: number;
  /** Whether the contest, or the choice, is known by other means than the exact name. */
  unsure: { contest: boolean; choice: boolean };
  /** The possible meanings of the row, the most probable first; without a match, the most similar ones. At most MAX_CANDIDATES. */
  candidates: readonly Candidate[];
}

/** A choice that a row can mean. */
export interface Candidate {
  contest: IndexedContest;
  choice: ChoiceEntry;
}

const MAX_CANDIDATES = 12;

/** All lines of contenders, each with its contest. */
export const candidatesOf = (
  pairs: readonly { contest: IndexedContest; contender: Contender }[],
): Candidate[] =>
  pairs
    .flatMap(({ contest, contender }) => contender.lines.map((choice) => ({ contest, choice })))
    .slice(0, MAX_CANDIDATES);

/** The choices of contests whose names look most like a given one. */
export const nearestCandidates = (contests: readonly IndexedContest[], given: GivenName): Candidate[] =>
  candidatesOf(
    contests.slice(0, MAX_CANDIDATES).flatMap((contest) =>
      nearestContenders(contest, given, contests.length > 1 ? 3 : MAX_CANDIDATES).map((contender) => ({
        contest,
        contender,
      })),
    ),
  );

/** The parts of an outcome that say nothing. */
export const NOTHING = {
  fits: 0,
  contest: null,
  choice: null,
  unrepresentable: null,
  unsure: { contest: false, choice: false },
  candidates: [],
};

export const outcome = (grade: Grade, reason: string, more: Partial<RowMatch> = {}): RowMatch => ({
  ...NOTHING,
  grade,
  reasons: [reason],
  ...more,
});

export const unrepresentable = (text: string, isUnderstood: boolean): RowMatch =>
  outcome('none', text, { unrepresentable: { text, isUnderstood } });

/** Chooses among a row's matches in several elections that fit: the exact one, if the others find nothing. */
export function chooseMatch(matches: readonly RowMatch[]): RowMatch | null {
  const [found, ...others] = matches.filter(({ grade }) => grade !== 'none');
  if (found === undefined) return matches.find(({ unrepresentable: said }) => said !== null) ?? null;
  return found.grade === 'exact' && others.length === 0 ? found : null;
}
