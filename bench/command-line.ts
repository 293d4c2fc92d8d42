import { parseArgs } from 'node:util';

/** Reads options that take numbers, such as `--streams 200`. @param defaults the values of options that are not given */
export function readNumbers<Name extends string>(defaults: Record<Name, number>): Record<Name, number> {
  const names = Object.keys(defaults) as Name[];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ options });
  const read = names.map((name) => [name, Number(values[name] ?? defaults[name])] as const);
  return Object.fromEntries(read) as Record<Name, number>;
}

export const print = (line: string) => process.stdout.write(`${line}\n`);
