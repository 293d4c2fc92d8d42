import path from 'node:path';
import { createRefusedKeys } from './refused-keys.ts';

/** Streams are read to their end, so they end soon. */
export const STREAM = { streamLifetimeMs: 1000, streamHeartbeatMs: 100 };
/** Requests with refused keys are refused before any other check, so a few examples are enough. */
const REFUSED_EXAMPLES = 10;

export interface FuzzOptions {
  /** The gateway's address, without a trailing slash. */
  base: string;
  key: string;
  databaseUrl: string;
  /** The folder of schemathesis. */
  programs: string;
  /** The number of generated requests for each operation. */
  examples: number;
  /** The same seed makes the same requests; by default a new one. */
  seed?: string | undefined;
  /** Runs a program. @returns its exit status */
  run(program: string, args: string[]): Promise<number>;
}

/**
 * Sends a running service valid and invalid requests from its OpenAPI description, and compares every answer with the
 * description: no 5xx, no undocumented status, no body outside of its schema. Then requests the stream and events with
 * keys that must be refused.
 *
 * @returns the problems that schemathesis has reported; empty if every answer was right
 */
export async function fuzz({ base, key, databaseUrl, ...options }: FuzzOptions): Promise<string[]> {
  const ask = (asked: string | null, config: string, args: string[]): Promise<number> =>
    options.run(path.join(options.programs, 'schemathesis'), [
      `--config-file=${path.join('test/fuzz', config)}`,
      'run',
      `${base}/openapi.json`,
      ...(asked === null ? [] : [`--header=Authorization: Bearer ${asked}`]),
      // Before Python 3.11.8, two threads that parse Python at once can fail (python/cpython#106905).
      '--workers=1',
      '--no-color',
      ...(options.seed === undefined ? [] : [`--seed=${options.seed}`]),
      ...args,
    ]);
  const wrong: string[] = [];
  const main = ['--phases=examples,coverage,fuzzing', `--max-examples=${options.examples}`];
  if ((await ask(key, 'schemathesis.toml', main)) !== 0) wrong.push('answers with a valid key');
  const paths = ['--include-path=/v1/events', '--include-path=/v1/stream'];
  for (const [name, refused] of await createRefusedKeys(databaseUrl)) {
    const args = [...paths, '--phases=fuzzing', `--max-examples=${REFUSED_EXAMPLES}`];
    if ((await ask(refused, 'refused.toml', args)) !== 0) wrong.push(`answers with a key that is ${name}`);
  }
  return wrong;
}
