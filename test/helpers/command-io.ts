import { Readable } from 'node:stream';
import type { CommandIo } from '../../ops/command.ts';

/** What a command sees and says. */
export function createIo(
  env: Record<string, string>,
  stdin = '',
): CommandIo & { printed: string[]; told: string[] } {
  const printed: string[] = [];
  const told: string[] = [];
  return {
    env: { DATA_DIR: '/nowhere', ...env },
    stdin: Readable.from([stdin]),
    out: (line) => void printed.push(line),
    err: (line) => void told.push(line),
    terminal: false,
    printed,
    told,
  };
}
