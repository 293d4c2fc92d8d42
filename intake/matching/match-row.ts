import type { AliasKind } from '../../schemas/alias-files.ts';
import { readAnswer } from '../tables/answers.ts';
import type { ChoiceEntry, Contender, ElectionIndex, IndexedContest } from './catalogue-index.ts';
import { type Grade, listSome } from './grade.ts';
import {
  chooseLine,
  createNameReader,
  findContenders,
  type GivenName,
  nearestContenders,
  showContender,
} from './match-choice.ts';
import { type FittingContests, findContests } from './match-contest.ts';
import { readPersonName } from './person-name.ts';
import { foldText } from './words.ts';

/** A row's texts about a contest and a choice, as they are written. Empty texts are null. */
export interface RowNames {
  contest: string | null;
  district: string | null;
  choice: string | null;
  party: string | null;
  /** Yes, No, Support…; null if the cell is empty, and undefined if the table says nothing by it. */
  position: string | null | undefined;
}

/** Finds the key that a person has decided on for a text. @param scope as an alias has it */
export type FindAlias = (kind: AliasKind, scope: string, text: string) => string | null;

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
const candidatesOf = (pairs: readonly { contest: IndexedContest; contender: Contender }[]): Candidate[] =>
  pairs
    .flatMap(({ contest, contender }) => contender.lines.map((choice) => ({ contest, choice })))
    .slice(0, MAX_CANDIDATES);

/** The choices of contests whose names look most like a given one. */
const nearestCandidates = (contests: readonly IndexedContest[], given: GivenName): Candidate[] =>
  candidatesOf(
    contests.slice(0, MAX_CANDIDATES).flatMap((contest) =>
      nearestContenders(contest, given, contests.length > 1 ? 3 : MAX_CANDIDATES).map((contender) => ({
        contest,
        contender,
      })),
    ),
  );

/** A row, and the reader of its names. */
type ReadRow = RowNames & { read(text: string): GivenName };

/** The text by which a row's contest is remembered. */
export function contestTextOf({ contest, district, choice, party, position }: RowNames): string {
  // Beside an answer, the choice can be the name of the measure.
  const measure = position ? choice : null;
  return foldText([contest, district, party, measure].filter((part) => part !== null).join(' '));
}

/** The text by which a row's choice is remembered. */
export const choiceTextOf = ({ choice, party }: RowNames): string =>
  foldText([choice, party].filter((part) => part !== null).join(' '));

/** The text by which a row is remembered if several contests fit, within its election. */
export const rowTextOf = (row: RowNames): string => `${contestTextOf(row)} / ${choiceTextOf(row)}`;

/** The choice's key of a row that names its contest by the whole key, as exports do; null for a row of names. */
const choiceKeyOf = ({ contest, choice }: RowNames, { key, choices }: IndexedContest): string | null =>
  contest === key && choices.some((each) => each.key === choice) ? choice : null;

/** A contest and a choice that fit, with the reasons why they are not exact. */
interface Pair {
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

const OUT = {
  fits: 0,
  contest: null,
  choice: null,
  unrepresentable: null,
  unsure: { contest: false, choice: false },
  candidates: [],
};

const outcome = (grade: Grade, reason: string, more: Partial<RowMatch> = {}): RowMatch => ({
  ...OUT,
  grade,
  reasons: [reason],
  ...more,
});

const unrepresentable = (text: string, isUnderstood: boolean): RowMatch =>
  outcome('none', text, { unrepresentable: { text, isUnderstood } });

const isMeasure = ({ choices }: IndexedContest) =>
  choices.some(({ measure_answer: answer }) => answer !== null);

const showContest = ({ title, key }: IndexedContest) => `${title} (${key})`;

/** Finds contests, and remembers them for the rows that follow. @returns a function for `findContests` */
export function createContestFinder(index: ElectionIndex, most = 10_000) {
  const known = new Map<string, FittingContests>();
  return (contest: string | null, { district, party }: RowNames): FittingContests => {
    const id = JSON.stringify([contest, district, party]);
    let found = known.get(id);
    if (found === undefined) {
      found = findContests(index, { contest, district, party });
      if (known.size >= most) known.clear();
      known.set(id, found);
    }
    return found;
  };
}

/** Matches a row's contest and choice within its election. */
export function matchRow(
  index: ElectionIndex,
  names: RowNames,
  findAlias: FindAlias,
  find: ReturnType<typeof createContestFinder>,
): RowMatch {
  const row = { ...names, read: createNameReader() };
  const { slug } = index.election;
  const [decidedElection = '', decidedContest = '', ...decidedChoice] =
    findAlias('choice', slug, rowTextOf(row))?.split('/') ?? [];
  const whole = index.byKey.get(`${decidedElection}/${decidedContest}`);
  const contest = whole ?? index.byKey.get(findAlias('contest', slug, contestTextOf(row)) ?? '');
  const fitting = contest ? { exact: [contest], close: new Map(), nearest: [] } : findMeant(row, find);
  const contests = [
    ...fitting.exact.map((each) => ({ contest: each, reason: null })),
    ...[...fitting.close].map(([each, reason]) => ({ contest: each, reason: `contest: ${reason}` })),
  ];
  const found = contests.map((each) => each.contest);
  const refused = refuseAnswer(row, found);
  if (refused) return refused;
  if (contests.length === 0) {
    const near = fitting.nearest.map(showContest);
    return outcome(
      'none',
      `no such contest${near.length === 0 ? '' : `; the nearest are ${listSome(near)}`}`,
      { candidates: nearestCandidates(fitting.nearest, row.read(row.choice ?? row.position ?? '')) },
    );
  }
  const findDecided: FindAlias = (kind, scope, text) =>
    kind === 'choice' && whole ? decidedChoice.join('/') : findAlias(kind, scope, text);
  const choiceText = choiceTextOf(row);
  const pairs = contests.flatMap((each) => {
    const alias = findDecided('choice', each.contest.key, choiceText);
    return findPairs(row, each.contest, each.reason, alias);
  });
  const match = judge(row, pairs) ?? refuseSeveral(row, contests, pairs) ?? describeFailure(row, found);
  const reasons = match.reasons.length > 0 || !contest ? match.reasons : ['contest: decided before'];
  return { ...match, reasons, fits: contests.length };
}

/** The end of a measure's name that can be its number or letters: `Local C`, `51`. */
const CODE = /(?:^|[\s.])([0-9]{1,4}|[a-z]{1,2})$/i;

/** Whether a contest has a choice that a row names, or probably names. */
function hasChoice(contest: IndexedContest, { choice, party, read }: ReadRow): boolean {
  const { exact, close } = findContenders(contest, read(choice ?? ''), party);
  return exact.length + close.size > 0;
}

/** The contests that a row means. A measure can stand in the column of choices, beside its answer. */
function findMeant(row: ReadRow, find: ReturnType<typeof createContestFinder>): FittingContests {
  const { contest, choice, position } = row;
  const answer = position ? readAnswer(position) : null;
  if (choice === null || (answer !== 'yes' && answer !== 'no')) return find(contest, row);
  const found = [choice, `${contest ?? ''} ${choice}`].map((text) => find(text, row));
  const exact = found.map((each) => each.exact.filter(isMeasure)).find(({ length }) => length > 0);
  if (exact) return { exact, close: new Map(), nearest: [] };
  const own = find(contest, row);
  // Letters after the name of a candidate are no measure: `Ann Lee, D`, `Ann Lee II`.
  if (!own.exact.every(isMeasure)) return own;
  const offices = [...own.close].filter(([each]) => !isMeasure(each));
  if (offices.some(([each]) => hasChoice(each, row))) return { ...own, close: new Map(offices) };
  const [, code] = CODE.exec(choice) ?? [];
  if (code !== undefined) {
    const named = find(`Proposition ${code}`, row);
    const measures = [...named.exact, ...named.close.keys()].filter(isMeasure);
    const close = new Map(measures.map((each) => [each, `only "${code}" is the same`]));
    if (close.size > 0) return { exact: [], close, nearest: [] };
  }
  return own;
}

/** A row that no submission can say, whatever its names mean; null if one can. */
function refuseAnswer(row: ReadRow, contests: readonly IndexedContest[]): RowMatch | null {
  const { choice, position, read } = row;
  if (contests.length > 0 && contests.every(isMeasure)) {
    const text = position ?? choice ?? '';
    const answer = readAnswer(text);
    if (answer === 'yes' || answer === 'no') return null;
    // Without a column for the answer, the choice can be the label of an answer.
    if (
      answer === null &&
      contests.some((contest) => findContenders(contest, read(text), null).exact.length > 0)
    )
      return null;
    return unrepresentable(text === '' ? 'no answer' : `"${text}" about a measure`, answer === 'nothing');
  }
  const answer = position ? readAnswer(position) : null;
  if (choice === null) {
    const isAboutMeasure = contests.length === 0 && (answer === 'yes' || answer === 'no');
    return isAboutMeasure ? null : unrepresentable('no choice', true);
  }
  // The key of a choice can be `none`.
  const isKey = contests.some((each) => choiceKeyOf(row, each) !== null);
  if (readAnswer(choice) === 'nothing' && !isKey) return unrepresentable(`"${choice}"`, true);
  if (position === undefined) return null;
  if (position === null) return contests.some(isMeasure) ? null : unrepresentable('no position', true);
  // If the contest may be a measure, the answer may be about it.
  if (answer === 'yes' || (answer === 'no' && contests.some(isMeasure))) return null;
  return unrepresentable(`"${position}" about a candidate`, answer !== null);
}

function findPairs(
  row: ReadRow,
  contest: IndexedContest,
  contestReason: string | null,
  alias: string | null,
): Pair[] {
  const text = (isMeasure(contest) ? (row.position ?? row.choice) : row.choice) ?? '';
  const pair = (contender: Contender, choiceReason: string | null, decided: string | null = null): Pair[] => {
    const { value, reason } = chooseLine(contender, row.read(decided ?? text), row.party);
    const choice = value ?? contender.lines[0];
    const more = { lineReason: reason, decided: decided !== null };
    return choice === undefined ? [] : [{ contest, choice, contender, contestReason, choiceReason, ...more }];
  };
  const answer = isMeasure(contest) ? readAnswer(text) : null;
  if (answer === 'yes' || answer === 'no') {
    const contender = contest.contenders.find(({ lines: [line] }) => line?.measure_answer === answer);
    return contender ? pair(contender, null) : [];
  }
  // What was decided about a name says nothing about a key of the same letters.
  const named = choiceKeyOf(row, contest);
  const known = contest.contenders.find(({ lines }) => lines.some(({ key }) => key === (named ?? alias)));
  if (known) return pair(known, null, named === null ? alias : null);
  const { exact, close } = findContenders(contest, row.read(text), row.party);
  return [
    ...exact.flatMap((contender) => pair(contender, null)),
    ...[...close].flatMap(([contender, reason]) => pair(contender, `choice: ${reason}`)),
  ];
}

const isExact = ({ contestReason, choiceReason }: Pair) => contestReason === null && choiceReason === null;
const isHalfExact = ({ contestReason, choiceReason }: Pair) =>
  contestReason === null || choiceReason === null;

/** Chooses among pairs: the one that is exact, or else the only one that is close. */
function judge(row: ReadRow, pairs: readonly Pair[]): RowMatch | null {
  const exact = pairs.filter(isExact);
  if (exact.length === 0 && hasSeveralNames(row)) return null;
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
  return { ...OUT, ...{ grade, contest, choice, unsure, candidates }, reasons: [...reasons, ...before] };
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
function refuseSeveral(
  row: RowNames,
  [first, ...others]: readonly { contest: IndexedContest; reason: string | null }[],
  pairs: readonly Pair[],
): RowMatch | null {
  if (!hasSeveralNames(row)) return null;
  const one = others.length === 0 ? first : undefined;
  return outcome('ambiguous', 'the cell has several choices: give each of them a row, or decide on one', {
    contest: one?.contest ?? null,
    candidates: candidatesOf(pairs),
    unsure: { contest: one === undefined || one.reason !== null, choice: true },
  });
}

const SEVERAL = /\s*(?:;|\/|\n|\+|,|&|\band\b)\s*/i;

/** Whether a cell has the names of several people, each with a given and a last name. */
function hasSeveralNames({ choice }: RowNames): boolean {
  const parts = (choice ?? '').split(SEVERAL).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => readPersonName(part).words.length > 1);
}

/** Says why nothing fits. */
function describeFailure({ choice, read }: ReadRow, found: readonly IndexedContest[]): RowMatch {
  const [contest, ...others] = found;
  const text = choice ?? '';
  const candidates = nearestCandidates(found, read(text));
  if (contest === undefined || others.length > 0) {
    return outcome('none', `none of the ${others.length + 1} contests that fit has the choice "${text}"`, {
      candidates,
    });
  }
  const near = nearestContenders(contest, read(text)).map(showContender);
  const reason =
    near.length === 0 ? 'the contest has no choices' : `no such choice; the nearest are ${listSome(near)}`;
  return outcome('none', reason, { contest, candidates });
}

/** Chooses among a row's matches in several elections that fit: the exact one, if the others find nothing. */
export function chooseMatch(matches: readonly RowMatch[]): RowMatch | null {
  const [found, ...others] = matches.filter(({ grade }) => grade !== 'none');
  if (found === undefined) return matches.find(({ unrepresentable: said }) => said !== null) ?? null;
  return found.grade === 'exact' && others.length === 0 ? found : null;
}
