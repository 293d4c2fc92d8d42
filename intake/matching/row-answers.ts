/** A row's answer about the measures or the candidates that its names mean. */
import { isYesOrNo, readAnswer, readLeadingAnswer } from '../tables/answers.ts';
import { type IndexedContest, isMeasure } from './catalogue-index.ts';
import { hasMeasureWord } from './contest-words.ts';
import type { ReadRow } from './judge-pairs.ts';
import { findContenders } from './match-choice.ts';
import { type RowMatch, unrepresentable } from './row-match.ts';
import { choiceKeyOf } from './row-names.ts';

/** A row that no submission can say, whatever its names mean; null if one can. */
export function refuseAnswer(row: ReadRow, contests: readonly IndexedContest[]): RowMatch | null {
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

/** The answer of a text about measures. */
export const readAnswerAbout = (measures: readonly IndexedContest[], text: string) =>
  RETENTION.test(text) && measures.some(({ kind }) => kind !== 'retention') ? null : readAnswer(text);

const RECALL = /\brecall/i;

/** Whether a choice can speak for the official of a recall, as the name alone does. */
const isForOfficial = (choice: string | null, measures: readonly IndexedContest[]) =>
  choice !== null &&
  !isYesOrNo(choice) &&
  !RECALL.test(choice) &&
  measures.some(({ title, short_title: short }) => RECALL.test(`${title} ${short}`));

/** A choice that speaks against its candidate, and would be similar to the name. */
const NEGATED =
  /^(?:vote )?(?:not|do not|never|no on|oppose[ds]?|against|reject|defeat|any(?:one|body) (?:but|except|other than))\s/i;

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
    if (contests.length === 0 && isYesOrNo(position)) return null;
    const saysNothing = (position ?? null) === null || readAnswer(position ?? '') === 'nothing';
    const said = saysNothing ? '' : `, and "${position}" as the position`;
    return unrepresentable(`no choice${said}`, saysNothing);
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
  const canBeNo =
    contests.length === 0 ? hasMeasureWord(`${row.contest ?? ''} ${choice}`) : contests.some(isMeasure);
  return refusePosition(position, canBeNo);
}

/** About a candidate it can also mean that the endorser chose none. */
const PASS = /^pass[.!]?$/i;

/** A position on a candidate says Yes or is left out. One on what may be a measure can also be No or empty. */
function refusePosition(position: ReadRow['position'], canBeNo: boolean): RowMatch | null {
  if (position === undefined) return null;
  if (position === null) return canBeNo ? null : unrepresentable('no position', true);
  const answer = PASS.test(position.trim()) && !canBeNo ? null : readAnswer(position);
  if (answer === 'yes' || (answer === 'no' && canBeNo)) return null;
  return unrepresentable(`"${position}" about a candidate, of whom only Yes can be said`, answer !== null);
}
