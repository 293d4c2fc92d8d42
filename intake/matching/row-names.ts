import { isDoubted } from '../tables/answers.ts';
import type { IndexedContest } from './catalogue-index.ts';
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

/** The text by which a row's contest is remembered. */
export function contestTextOf({ contest, district, choice, party, position }: RowNames): string {
  // Beside an answer, the choice can be the name of the measure.
  const measure = position ? choice : null;
  return foldText([contest, district, party, measure].filter((part) => part !== null).join(' '));
}

/** The text by which a row's choice is remembered. A sign of doubt stays, since the name without it means more. */
export const choiceTextOf = ({ choice, party }: RowNames): string => {
  const text = [choice, party].filter((part) => part !== null).join(' ');
  return isDoubted(text) ? text : foldText(text);
};

/** The text by which a row is remembered if several contests fit, within its election. */
export const rowTextOf = (row: RowNames): string => `${contestTextOf(row)} / ${choiceTextOf(row)}`;

/** The choice's key of a row that names its contest by the whole key, as exports do; null for a row of names. */
export const choiceKeyOf = (
  { contest, choice }: RowNames,
  { key, choices }: IndexedContest,
): string | null => (contest === key && choices.some((each) => each.key === choice) ? choice : null);
