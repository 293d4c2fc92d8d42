/* Rules across the fields of a contest (contract, "Fields must agree"). A contest that contradicts itself is refused. */
import { type Problem, showValue } from '../problems.ts';
import type { ChoiceRecord, ContestRecord } from './contest-fields.ts';

type Check = (contest: ContestRecord) => Problem[];

/** A rule: what is right of a field, as docs/data-formats.md says it, and the contradictions to it. */
interface Rule {
  says: Readonly<Record<string, string>>;
  check: Check;
}

const refuseIf = (isWrong: boolean, field: string, message: string): Problem[] =>
  isWrong ? [{ field, message }] : [];

const seats: Check = ({ vote_method: method, votes_allowed: votes }) => {
  const most = votes ?? null;
  if (most === null) return [];
  const isSingle = method === 'plurality' || method === 'yes_no';
  return [
    ...refuseIf(isSingle && most > 1, 'votes_allowed', `must be 1 or null for ${method}, is ${most}`),
    ...refuseIf(
      method === 'multi_seat' && most === 1,
      'votes_allowed',
      'must be more than 1 or null for multi_seat, is 1',
    ),
  ];
};

const ranks: Check = ({ vote_method: method, ranks_allowed: most }) =>
  refuseIf(
    (most ?? null) !== null && method !== 'ranked_choice',
    'ranks_allowed',
    `must be null unless the contest is ranked_choice, is ${most} for ${method}`,
  );

const answers: Check = ({ kind, vote_method: method, choices }) => {
  const count = (answer: string) => choices.filter(({ measure_answer: given }) => given === answer).length;
  const [yes, no] = [count('yes'), count('no')];
  if (method !== 'yes_no') {
    const message = `must have no measure_answer unless the contest is yes_no, have ${yes + no}`;
    return refuseIf(yes + no > 0, 'choices', message);
  }
  return [
    ...refuseIf(
      kind === 'candidate',
      'vote_method',
      'must not be yes_no for candidates: it is for measures and retention',
    ),
    ...refuseIf(
      yes !== 1 || no !== 1,
      'choices',
      `must have one measure_answer yes and one no, have ${yes} and ${no}`,
    ),
  ];
};

const noneOfThese: Check = ({ choices }) => {
  const count = choices.filter(({ option }) => option === 'none_of_these').length;
  return refuseIf(count > 1, 'choices', `must have at most one none_of_these, have ${count}`);
};

/** Equal labels are lines of one candidate, or carry different parties. */
const labels: Check = ({ choices }) => {
  const byLabel = new Map<string, number[]>();
  return choices.flatMap((choice, index) => {
    const alike = byLabel.get(choice.label) ?? [];
    const ambiguous = alike.find((at) => !isDistinct(choice, choices[at] as ChoiceRecord));
    alike.push(index);
    byLabel.set(choice.label, alike);
    const message = `must differ from that of choices[${ambiguous}] or have another party, is ${showValue(choice.label)}`;
    return refuseIf(ambiguous !== undefined, `choices[${index}].label`, message);
  });
};

/** Whether two choices of one label can be told apart, or need not be. */
const isDistinct = (a: ChoiceRecord, b: ChoiceRecord): boolean =>
  isSameCandidate(a, b) || (a.party ?? null) !== (b.party ?? null);
const nameOf = ({ candidate }: ChoiceRecord): string | undefined => candidate?.key ?? candidate?.full_name;
const isSameCandidate = (a: ChoiceRecord, b: ChoiceRecord): boolean =>
  nameOf(a) !== undefined && nameOf(a) === nameOf(b);

export const RULES: readonly Rule[] = [
  {
    says: {
      votes_allowed: 'is 1 or null for `plurality` and `yes_no`, and more than 1 or null for `multi_seat`',
    },
    check: seats,
  },
  { says: { ranks_allowed: 'is null unless `vote_method` is `ranked_choice`' }, check: ranks },
  {
    says: {
      vote_method:
        'is `yes_no` only for measures and retention, with one choice that answers `yes` and one `no`',
      measure_answer: 'is null unless `vote_method` is `yes_no`',
    },
    check: answers,
  },
  { says: { option: 'is `none_of_these` for at most one choice' }, check: noneOfThese },
  {
    says: {
      label:
        'differs within the contest, unless the choices are lines of one candidate or have other parties',
    },
    check: labels,
  },
];

/** The contradictions between the fields of a contest. */
export function findContradictions(contest: ContestRecord): Problem[] {
  return RULES.flatMap(({ check }) => check(contest));
}
