import { OperatorError } from '../service/operator-error.ts';

/** The refusal of an option for tables where no file is such a table. */
export const refuseTableOption = (option: string, table = 'a table'): OperatorError =>
  new OperatorError(`--${option} is of use only with ${table}, whose name ends in .csv or .tsv.`);
