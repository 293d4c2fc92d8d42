import type { AliasKind } from '../../schemas/alias-files.ts';
import { type Contender, type ElectionIndex, type IndexedContest, isMeasure } from './catalogue-index.ts';
import { listSome } from './grade.ts';
import {
  describeFailure,
  judge,
  type Pair,
  type ReadRow,
  refuseSeveral,
  showContest,
} from './judge-pairs.ts';
import { chooseLine, createNameReader, findContenders } from './match-choice.ts';
import { readAnswerAbout, refuseAnswer } from './row-answers.ts';
import { type FindContest, findRowContests } from './row-contests.ts';
import { nearestCandidates, outcome, type RowMatch } from './row-match.ts';
import { choiceKeyOf, choiceTextOf, contestTextOf, type RowNames, rowTextOf } from './row-names.ts';

/** Finds the key that a person has decided on for a text. @param scope as an alias has it */
export type FindAlias = (kind: AliasKind, scope: string, text: string) => string | null;

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
  const fitting = contest ? { exact: [contest], close: new Map(), nearest: [] } : findRowContests(row, find);
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
