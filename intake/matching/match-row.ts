import type { AliasKind } from '../../schemas/alias-files.ts';
import { isYesOrNo, readAnswer, readLeadingAnswer } from '../tables/answers.ts';
import type { Contender, ElectionIndex, IndexedContest } from './catalogue-index.ts';
import { listSome } from './grade.ts';
import {
  describeFailure,
  judge,
  type Pair,
  type ReadRow,
  refuseSeveral,
  showContest,
} from './judge-pairs.ts';
import { chooseLine, createNameReader, findContenders, mayHave } from './match-choice.ts';
import { type FittingContests, findContests } from './match-contest.ts';
import { nearestCandidates, outcome, type RowMatch, unrepresentable } from './row-match.ts';
import { choiceKeyOf, choiceTextOf, contestTextOf, type RowNames, rowTextOf } from './row-names.ts';
import { isFullName } from './tickets.ts';

/** Finds the key that a person has decided on for a text. @param scope as an alias has it */
export type FindAlias = (kind: AliasKind, scope: string, text: string) => string | null;

const isMeasure = ({ choices }: IndexedContest) =>
  choices.some(({ measure_answer: answer }) => answer !== null);

const MAX_KNOWN = 10_000;

type FindContest = ReturnType<typeof createContestFinder>;

/** Finds contests, and remembers them for the rows that follow. @returns a function for `findContests` */
export function createContestFinder(index: ElectionIndex) {
  const known = new Map<string, FittingContests>();
  return (contest: string | null, { district, party }: RowNames): FittingContests => {
    const id = JSON.stringify([contest, district, party]);
    let found = known.get(id);
    if (found === undefined) {
      found = findContests(index, { contest, district, party });
      if (known.size >= MAX_KNOWN) known.clear();
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
  find: FindContest,
): RowMatch {
  const row = { ...names, read: createNameReader() };
  const { slug } = index.election;
  const [decidedElection = '', decidedContest = '', ...decidedChoice] =
    findAlias('choice', slug, rowTextOf(row))?.split('/') ?? [];
  const whole = index.byKey.get(`${decidedElection}/${decidedContest}`);
  const contest = whole ?? index.byKey.get(findAlias('contest', slug, contestTextOf(row)) ?? '');
  const fitting = contest ? { exact: [contest], close: new Map(), nearest: [] } : findOrPropose(row, find);
  // Beside the exact name of an office, no measure is meant, nor the reverse.
  const isLikeExact = (contest: IndexedContest) =>
    fitting.exact.length === 0 || fitting.exact.some((each) => isMeasure(each) === isMeasure(contest));
  const contests = [
    ...fitting.exact.map((each) => ({ contest: each, reason: null })),
    ...[...fitting.close]
      .filter(([each]) => isLikeExact(each))
      .map(([each, reason]) => ({ contest: each, reason: `contest: ${reason}` })),
  ];
  const found = contests.map((each) => each.contest);
  const refused = refuseAnswer(row, found);
  if (refused) return refused;
  if (contests.length === 0) {
    const near = fitting.nearest.map(showContest);
    return outcome(
      'none',
      `no such contest${near.length === 0 ? '' : `; the nearest are ${listSome(near)}`}`,
      {
        unsure: { contest: true, choice: true },
        candidates: nearestCandidates(fitting.nearest, row.read(row.choice ?? row.position ?? '')),
      },
    );
  }
  const choiceText = choiceTextOf(row);
  const pairs = contests.flatMap((each) => {
    const alias = whole ? decidedChoice.join('/') : findAlias('choice', each.contest.key, choiceText);
    return findPairs(row, each.contest, each.reason, alias);
  });
  const match = judge(row, pairs) ?? refuseSeveral(row, contests, pairs) ?? describeFailure(row, contests);
  const reasons = match.reasons.length > 0 || !contest ? match.reasons : ['contest: decided before'];
  return { ...match, reasons, fits: contests.length };
}

/** Finds the contests that a row means, or else proposes the only similar one with its choice. */
function findOrPropose(row: ReadRow, find: FindContest): FittingContests {
  const found = findMeant(row, find);
  const name = row.read(row.choice ?? '');
  if (!isFullName(name.person)) return found;
  const [only, ...others] = (found.similar ?? []).filter(
    (each) => mayHave(each, name) && findContenders(each, name, row.party).exact.length > 0,
  );
  if (only === undefined || others.length > 0) return found;
  return { ...found, close: new Map([[only, `it is called "${only.title}", and the choice is right`]]) };
}

/** The end of a measure's name that can be its number or letters: `Local C`, `51`. */
const CODE = /(?:^|[\s.])([0-9]{1,4}|[a-z]{1,2})$/i;

/** Whether a contest has a choice that a row names, or probably names. */
function hasChoice(contest: IndexedContest, { choice, party, read }: ReadRow): boolean {
  const { exact, close } = findContenders(contest, read(choice ?? ''), party);
  return exact.length + close.size > 0;
}

/**
 * Finds the contests that a row means. If it has an answer, its choice can be the name of a measure: this counts first if
 * it is exact, unless the column of contests names another measure, and last if only the code is the same. Between these,
 * the column of contests counts.
 */
function findMeant(row: ReadRow, find: FindContest): FittingContests {
  const { contest, choice, position } = row;
  if (choice === null || !isYesOrNo(position)) {
    const own = find(contest, row);
    return isYesOrNo(choice ?? position) ? preferMeasures(own, row, find) : own;
  }
  const own = find(contest, row);
  const exact = findMeasuresNamed(row, choice, find);
  if (exact.length > 0) {
    const isOther =
      own.exact.length > 0 && own.exact.every((each) => isMeasure(each) && !exact.includes(each));
    if (!isOther) return { exact, close: new Map(), nearest: [] };
    const both = [...own.exact, ...exact].map((each) => [each, 'the row names two measures'] as const);
    return { exact: [], close: new Map(both), nearest: [] };
  }
  // Letters after the name of a candidate are no measure: `Ann Lee, D`, `Ann Lee II`.
  if (!own.exact.every(isMeasure)) return own;
  const offices = [...own.close].filter(([each]) => !isMeasure(each));
  if (offices.some(([each]) => hasChoice(each, row))) return { ...own, close: new Map(offices) };
  const close = findMeasuresByCode(row, choice, find);
  return close.size > 0 ? { exact: [], close, nearest: [] } : own;
}

/** The name of a measure by its number or letters, without the word measure: `51`, `B - City College`. */
const CODE_FIRST = /^(?:[0-9]{1,4}[a-z]?|[a-z]{1,2})(?:\s*[-–—:.)].*)?$/i;

/** The contests of a row that has nothing but an answer: a measure, even if only its number or letters are given. */
function preferMeasures(own: FittingContests, row: ReadRow, find: FindContest): FittingContests {
  const text = row.contest ?? '';
  if (!CODE_FIRST.test(text) || [...own.exact, ...own.close.keys()].some(isMeasure)) return own;
  const { exact, close } = find(`Proposition ${text}`, row);
  const measures = new Map(
    [...exact.map((each) => [each, `the measure is called "${each.short_title}"`] as const), ...close].filter(
      ([each]) => isMeasure(each),
    ),
  );
  return measures.size > 0 ? { exact: [], close: measures, nearest: [] } : own;
}

/** The measures that a choice names, alone or after the text in the column of contests. */
function findMeasuresNamed(row: ReadRow, choice: string, find: FindContest): IndexedContest[] {
  const named = (text: string) => find(text, row).exact.filter(isMeasure);
  const alone = named(choice);
  return alone.length > 0 ? alone : named(`${row.contest ?? ''} ${choice}`);
}

/** The measures with the number or letters at the end of a choice, and the reason why each is only close. */
function findMeasuresByCode(row: ReadRow, choice: string, find: FindContest): Map<IndexedContest, string> {
  const [, code] = CODE.exec(choice) ?? [];
  if (code === undefined) return new Map();
  const { exact, close } = find(`Proposition ${code}`, row);
  const measures = [...exact, ...close.keys()].filter(isMeasure);
  return new Map(measures.map((each) => [each, `only "${code}" is the same`]));
}

/** A row that no submission can say, whatever its names mean; null if one can. */
function refuseAnswer(row: ReadRow, contests: readonly IndexedContest[]): RowMatch | null {
  const areMeasures = contests.length > 0 && contests.every(isMeasure);
  return areMeasures ? refuseAboutMeasure(row, contests) : refuseAboutCandidate(row, contests);
}

function refuseAboutMeasure(
  { choice, position, read }: ReadRow,
  measures: readonly IndexedContest[],
): RowMatch | null {
  const text = position ?? choice ?? '';
  const answer = readAnswerAbout(measures, text);
  if (isYesOrNo(choice) && position === null) return unrepresentable('no position', true);
  // "No" endorsed can be the answer No or Yes, and "No" not endorsed can be No or nothing.
  const isAgainst =
    NEGATED.test(choice ?? '') ||
    isForOfficial(choice, measures) ||
    (readAnswer(choice ?? '') === null && hasDenial(choice ?? ''));
  const chosen = isAgainst ? 'no' : readLeadingAnswer(choice ?? '');
  if (chosen !== null && [chosen, answer].includes('no') && isYesOrNo(position)) {
    const both = `two answers about a measure, "${choice}" and "${position}"`;
    return unrepresentable(`${both}: give one, as the position, and leave the choice empty`, false);
  }
  if (answer === 'yes' || answer === 'no') return null;
  // Without a column for the answer, the choice can be the label of an answer.
  const isLabel = (measure: IndexedContest) => findContenders(measure, read(text), null).exact.length > 0;
  if (answer === null && measures.some(isLabel)) return null;
  const said = text === '' ? 'no answer' : `"${text}"`;
  return unrepresentable(`${said} about a measure, which needs Yes or No`, answer === 'nothing');
}

/** Words that answer a retention. Those for a recall mean the opposite. */
const RETENTION = /\b(?:retain|remove)\b/i;

const readAnswerAbout = (measures: readonly IndexedContest[], text: string) =>
  RETENTION.test(text) && measures.some(({ kind }) => kind !== 'retention') ? null : readAnswer(text);

const RECALL = /\brecall/i;

/** Whether a choice can speak for the official of a recall, as the name alone does. */
const isForOfficial = (choice: string | null, measures: readonly IndexedContest[]) =>
  choice !== null &&
  !isYesOrNo(choice) &&
  !RECALL.test(choice) &&
  measures.some(({ title, short_title: short }) => RECALL.test(`${title} ${short}`));

/** A choice that speaks against its candidate, and would be similar to the name. */
const NEGATED = /^(?:vote )?(?:not|do not|no on|oppose[ds]?|against|anyone but)\s/i;

/** Whether a part of a text, apart from a name, says that it is not endorsed: `Ann Lee (not endorsed)`, `Oppose: Ann Lee`. */
const hasDenial = (text: string): boolean =>
  text
    .split(/\s-|[–—:,;()[\]\n]/)
    .filter((part) => /\p{L}{2}/u.test(part))
    .some((part) => ['no', 'nothing'].includes(readAnswer(part) ?? '') || NEGATED.test(`${part.trim()} `));

/** @param contests those that fit; some can be measures */
function refuseAboutCandidate(row: ReadRow, contests: readonly IndexedContest[]): RowMatch | null {
  const { choice, position } = row;
  if (choice === null) {
    // An answer alone is about a measure, which can be missing in the catalogue.
    const isAboutMeasure = contests.length === 0 && isYesOrNo(position);
    const saysNothing = (position ?? null) === null || readAnswer(position ?? '') === 'nothing';
    return isAboutMeasure ? null : unrepresentable('no choice', saysNothing);
  }
  // The key of a choice can be `none`.
  const isKey = contests.some((each) => choiceKeyOf(row, each) !== null);
  const mayBeMeasure = contests.length === 0 || contests.some(isMeasure);
  const saysNothing = readAnswer(choice) === 'nothing' || (NEGATED.test(choice) && !mayBeMeasure);
  if (saysNothing && !isKey) return unrepresentable(`"${choice}"`, true);
  const given = row.read(choice);
  const isName = () => contests.some((each) => findContenders(each, given, row.party).exact.length > 0);
  if (!mayBeMeasure && hasDenial(choice) && !isName()) {
    return unrepresentable(`"${choice}"`, (given.people[0] ?? []).length < 2);
  }
  return refusePosition(position, contests.some(isMeasure));
}

/** About a candidate it can also mean that the endorser chose none. */
const PASS = /^pass[.!]?$/i;

/** A position on a candidate says Yes or is left out. One on what may be a measure can also be No or empty. */
function refusePosition(position: ReadRow['position'], mayBeMeasure: boolean): RowMatch | null {
  if (position === undefined) return null;
  if (position === null) return mayBeMeasure ? null : unrepresentable('no position', true);
  const answer = PASS.test(position.trim()) && !mayBeMeasure ? null : readAnswer(position);
  if (answer === 'yes' || (answer === 'no' && mayBeMeasure)) return null;
  return unrepresentable(`"${position}" about a candidate, of whom only Yes can be said`, answer !== null);
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
  const answer = isMeasure(contest) ? readAnswerAbout([contest], text) : null;
  if (answer === 'yes' || answer === 'no') {
    const contender = contest.contenders.find(({ lines: [line] }) => line?.measure_answer === answer);
    return contender ? pair(contender, null) : [];
  }
  // A decision about a name says nothing about a key of the same letters.
  const named = choiceKeyOf(row, contest);
  const known = contest.contenders.find(({ lines }) => lines.some(({ key }) => key === (named ?? alias)));
  if (known) return pair(known, null, named === null ? alias : null);
  const { exact, close } = findContenders(contest, row.read(text), row.party);
  return [
    ...exact.flatMap((contender) => pair(contender, null)),
    ...[...close].flatMap(([contender, reason]) => pair(contender, `choice: ${reason}`)),
  ];
}
