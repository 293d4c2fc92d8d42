import { OperatorError } from '../service/operator-error.ts';

/**
 * Reads an id that an operator gives.
 *
 * @param list the command that shows the ids, such as `keys list`
 * @throws OperatorError if it is not one
 */
export function parseRowId(text: string, list: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new OperatorError(`"${text}" is not an id: "${list}" shows them.`);
}
