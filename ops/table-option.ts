import { OperatorError } from '../service/operator-error.ts';

/** The refusal of an option that only tables use, beside files of which none is one. */
export const refuseTableOption = (option: string): OperatorError =>
  new OperatorError(`--${option} is of use only with a table, whose name ends in .csv or .tsv.`);
