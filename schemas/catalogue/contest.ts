import { type Parsed, type Problem, showValue } from '../problems.ts';
import { type ChoiceRecord, type ContestRecord, contestFields } from './contest-fields.ts';
import { findContradictions } from './contradictions.ts';
import { createRecordCheck } from './record-check.ts';

const check = createRecordCheck(contestFields, contestProblems);

/** The contradictions between a contest's fields. */
function contestProblems(contest: ContestRecord): Problem[] {
  const key = `${contest.election}/${contest.slug}`;
  const problems: Problem[] = [];
  if (contest.key !== key) {
    problems.push({
      field: 'key',
      message: `must be ${showValue(key)}, election/slug, is ${showValue(contest.key)}`,
    });
  }
  return [...problems, ...choiceProblems(contest.choices), ...findContradictions(contest)];
}

/** Choice keys must be unique in a contest, and a candidate on several party lines must have one name. */
function choiceProblems(choices: ChoiceRecord[]): Problem[] {
  const problems: Problem[] = [];
  const indexOfKey = new Map<string, number>();
  const nameOfCandidate = new Map<string, string>();
  choices.forEach((item, index) => {
    const first = indexOfKey.get(item.key);
    if (first === undefined) indexOfKey.set(item.key, index);
    else {
      const message = `must be unique in the contest, is ${showValue(item.key)} as in choices[${first}]`;
      problems.push({ field: `choices[${index}].key`, message });
    }
    if (!item.candidate) return;
    const { full_name, key } = item.candidate;
    const name = nameOfCandidate.get(key ?? full_name);
    if (name === undefined) nameOfCandidate.set(key ?? full_name, full_name);
    else if (name !== full_name) {
      const message = `must be ${showValue(name)}, as elsewhere for this candidate key, is ${showValue(full_name)}`;
      problems.push({ field: `choices[${index}].candidate.full_name`, message });
    }
  });
  return problems;
}

/** Checks a line of a contests file. The source's address is the record's own, or else the one in its details. */
export function parseContest(json: unknown): Parsed<ContestRecord> {
  const parsed = check(json);
  if (!parsed.ok) return parsed;
  const contest = parsed.value;
  return {
    ok: true,
    value: { ...contest, source_url: contest.source_url ?? contest.details?.source_url ?? null },
  };
}
