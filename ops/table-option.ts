import { OperatorError } from '../service/operator-error.ts';

/** The refusal of an option for tables where no file is a table. */
export const refuseTableOption = (option: string): OperatorError =>
  new OperatorError(`--${option} is of use only with a table, whose name ends in .csv or .tsv.`);
