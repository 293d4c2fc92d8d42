import { styleText } from 'node:util';
import { readText } from '../service/environment.ts';
import type { CommandIo } from './command.ts';

type Format = Parameters<typeof styleText>[0];

/** Gives a text a colour or a weight. The text must not contain control characters from data. */
export type Paint = (format: Format, text: string) => string;

/** Colours are shown only if standard output is a terminal, and not with NO_COLOR (https://no-color.org). */
export function createPaint({ outTerminal, env }: CommandIo): Paint {
  const isColoured = outTerminal && readText(env, 'NO_COLOR') === null && env.TERM !== 'dumb';
  return (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text);
}
