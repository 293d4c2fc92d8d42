import type { ChoiceEntry, Contender, IndexedContest } from './catalogue-index.ts';
import { listSome } from './grade.ts';
import { type GivenName, nearestContenders, showContender } from './match-choice.ts';
import { candidatesOf, NOTHING, nearestCandidates, outcome, type RowMatch } from './row-match.ts';
import type { RowNames } from './row-names.ts';
import { isFullName } from './tickets.ts';

/** A row, and the reader of its names. */
export type ReadRow = RowNames & { read(text: string): GivenName };

/** A contest and a choice that fit, with the reasons why they are not exact. */
export interface Pair {
  contest: IndexedContest;
  choice: ChoiceEntry;
  contender: Contender;
  contestReason: string | null;
  choiceReason: string | null;
  /** Whether somebody has decided that the text means the choice. */
  decided: boolean;
  /** Why no line of the contender can be chosen. */
  lineReason: string | null;
}

export const showContest = ({ title, key }: IndexedContest) => `${title} (${key})`;

const isExact = ({ contestReason, choiceReason }: Pair) => contestReason === null && choiceReason === null;
const isHalfExact = ({ contestReason, choiceReason }: Pair) =>
  contestReason === null || choiceReason === null;

/** Chooses among pairs: the one that is exact, or else the only one that is close. */
export function judge(row: ReadRow, pairs: readonly Pair[]): RowMatch | null {
  const exact = pairs.filter(isExact);
  const isOfTicket = pairs.some(({ contender }) => contender.tickets.length > 0);
  if (exact.length === 0 && !isOfTicket && hasSeveralNames(row)) return null;
  const tiers = [exact, pairs.filter(isHalfExact), pairs];
  const [first, ...others] = tiers.find(({ length }) => length > 0) ?? [];
  if (first === undefined) return null;
  return others.length === 0 ? describePair(row, first) : describeAmbiguity(row, [first, ...others]);
}

function describePair(row: ReadRow, pair: Pair): RowMatch {
  const { contest, choice, contestReason, choiceReason, lineReason, decided } = pair;
  const unsure = { contest: contestReason !== null, choice: choiceReason !== null || lineReason !== null };
  if (lineReason !== null) {
    return outcome('ambiguous', lineReason, { contest, unsure, candidates: candidatesOf([pair]) });
  }
  const reasons = [contestReason, choiceReason].filter((reason) => reason !== null);
  const grade = reasons.length === 0 ? 'exact' : 'close';
  const before = decided && reasons.length === 0 ? ['choice: decided before'] : [];
  const similar = grade === 'exact' ? [] : nearestCandidates([contest], row.read(row.choice ?? ''));
  const candidates = [{ contest, choice }, ...similar.filter((other) => other.choice !== choice)];
  return { ...NOTHING, ...{ grade, contest, choice, unsure, candidates }, reasons: [...reasons, ...before] };
}

function describeAmbiguity(row: RowNames, pairs: readonly [Pair, ...Pair[]]): RowMatch {
  const [{ contest, contestReason }] = pairs;
  const isOneContest = pairs.every((pair) => pair.contest === contest);
  const names = pairs.map((pair) =>
    isOneContest
      ? showContender(pair.contender)
      : `${showContender(pair.contender)} in ${showContest(pair.contest)}`,
  );
  return outcome('ambiguous', `"${row.choice ?? row.position ?? ''}" can be ${listSome(names)}`, {
    contest: isOneContest ? contest : null,
    unsure: { contest: contestReason !== null || !isOneContest, choice: true },
    candidates: candidatesOf(pairs),
  });
}

/** The outcome for a cell with several names; null if it has one. */
export function refuseSeveral(
  row: ReadRow,
  contests: readonly { contest: IndexedContest; reason: string | null }[],
  pairs: readonly Pair[],
): RowMatch | null {
  if (!hasSeveralNames(row)) return null;
  const [first, ...others] = contests;
  const one = others.length === 0 ? first : undefined;
  const named = contests.map(({ contest }) => contest);
  return outcome('ambiguous', 'the cell has several choices: give each of them a row, or decide on one', {
    contest: one?.contest ?? null,
    candidates: pairs.length > 0 ? candidatesOf(pairs) : nearestCandidates(named, row.read(row.choice ?? '')),
    unsure: { contest: one === undefined || one.reason !== null, choice: true },
  });
}

/** Whether a cell has the names of several people, each with a given and a last name. */
function hasSeveralNames({ choice, read }: ReadRow): boolean {
  const [people = []] = read(choice ?? '').people;
  return people.length > 1 && people.every(isFullName);
}

/** Says why nothing fits. */
export function describeFailure(
  { choice, read }: ReadRow,
  found: readonly { contest: IndexedContest; reason: string | null }[],
): RowMatch {
  const [first, ...others] = found;
  const text = choice ?? '';
  const candidates = nearestCandidates(
    found.map(({ contest }) => contest),
    read(text),
  );
  if (first === undefined || others.length > 0) {
    return outcome('none', `none of the ${others.length + 1} contests that fit has the choice "${text}"`, {
      unsure: { contest: true, choice: true },
      candidates,
    });
  }
  const { contest } = first;
  const near = nearestContenders(contest, read(text)).map(showContender);
  const reason =
    near.length === 0 ? 'the contest has no choices' : `no such choice; the nearest are ${listSome(near)}`;
  const unsure = { contest: first.reason !== null, choice: true };
  return outcome('none', reason, { contest, unsure, candidates });
}
