/** Makes the choices of a contest from the rows of a table. */
import type { ContestRecord } from '../../schemas/catalogue-files.ts';
import { answerOfLabel, isNoneOfThese, YES_AND_NO } from './answers.ts';
import type { Collected, CollectedContest } from './collect-rows.ts';
import { recordOf, textOf } from './given-values.ts';
import { makeKeys } from './keys.ts';
import type { Notes } from './notes.ts';

/** Whether a table has columns that say how its choices are to be read. */
export interface TableShape {
  hasCandidates: boolean;
  hasAnswers: boolean;
  hasOptions: boolean;
}

type Choice = ContestRecord['choices'][number];

export function choicesOf(
  contest: CollectedContest,
  kind: ContestRecord['kind'],
  shape: TableShape,
  notes: Notes,
) {
  const method = textOf(contest.values, 'vote_method') || 'yes_no';
  if (contest.choices.size === 0 && kind !== 'candidate' && method === 'yes_no') {
    notes.add(
      'assumed',
      'the choices of a measure are Yes and No',
      textOf(contest.values, 'measure') || textOf(contest.values, 'contest'),
    );
    return { choices: YES_AND_NO as Choice[], lines: [] };
  }
  const rows = [...contest.choices.values()];
  const choices = rows.map((row) => choiceOf(row, kind, shape));
  const keys = makeKeys(
    choices.map(({ label, party, measure_answer: answer, key }) => ({
      parts: [key || answer || label],
      further: key ? [] : [party ?? ''],
    })),
  );
  return {
    choices: choices.map((choice, index) => ({
      ...choice,
      key: choice.key || (keys[index] ?? choice.label),
    })),
    lines: rows.map(({ line }) => line),
  };
}

function choiceOf({ values }: Collected, kind: ContestRecord['kind'], shape: TableShape): Choice {
  const { candidate, ...record } = recordOf(values) as Partial<Choice>;
  const name = candidate?.full_name;
  const label = record.label ?? name ?? '';
  const isNone = isNoneOfThese(label) && !shape.hasOptions;
  const isCandidate = kind === 'candidate' && !shape.hasCandidates && !isNone && record.option === undefined;
  const answer = kind !== 'candidate' && !shape.hasAnswers ? answerOfLabel(label) : null;
  const incumbent = values.get('incumbent')?.value === true;
  const assumed = isCandidate ? { full_name: label } : undefined;
  const isAnswer = answer !== null && record.label === undefined;
  const person = name === undefined || isNone || isAnswer ? assumed : candidate;
  return {
    ...record,
    key: record.key ?? '',
    label,
    ...(person ? { candidate: person } : {}),
    ...(answer ? { measure_answer: answer } : {}),
    ...(isNone ? { option: 'none_of_these' as const } : {}),
    ...(incumbent ? { details: { ...record.details, incumbent: true } } : {}),
  };
}
