import { stateName } from '../../domain/officeholders/states.ts';

/** The code of a state with its name beside it. Other words stay. */
export function labelState(code: string): string {
  const name = stateName(code);
  return name === code ? code : `${code} ${name}`;
}
