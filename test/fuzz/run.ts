/**
 * `npm run test:fuzz [-- --examples N] [--seed N]`: schemathesis sends a running service valid and invalid requests
 * from the OpenAPI description, and compares every answer with the description: no 5xx, no undocumented status, no body
 * outside of its schema. Then it requests the stream and events with keys that must be refused. Each run makes other
 * requests and prints its seed; the same seed makes the same requests.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installPythonPackages, runProgram } from '../helpers/clients/python.ts';
import { startSystem } from '../helpers/service/system.ts';
import { WEBHOOK_ENV } from '../helpers/webhooks/webhook-env.ts';
import { createRefusedKeys } from './refused-keys.ts';

/** Streams are read to their end, so they end soon. */
const GATEWAY_SETTINGS = { STREAM_LIFETIME_MS: '1000', STREAM_HEARTBEAT_MS: '100', ...WEBHOOK_ENV };
/** Requests with these keys are refused before any other check, so a few examples are enough. */
const REFUSED_EXAMPLES = 10;

const { values } = parseArgs({
  options: { examples: { type: 'string', default: '300' }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? [] : [`--seed=${values.seed}`];
const programs = await installPythonPackages();
if (programs === null) process.exit(1);
const schemathesis = path.join(programs, 'schemathesis');
const system = await startSystem(GATEWAY_SETTINGS);

/** @returns 0 if every answer was right */
function ask(key: string | null, config: string, args: string[]): Promise<number> {
  return runProgram(schemathesis, [
    `--config-file=${path.join('test/fuzz', config)}`,
    'run',
    `${system.base}/openapi.json`,
    ...(key === null ? [] : [`--header=Authorization: Bearer ${key}`]),
    // Before Python 3.11.8, two threads that parse Python at once can fail (python/cpython#106905).
    '--workers=1',
    '--no-color',
    ...seed,
    ...args,
  ]);
}

try {
  process.exitCode = await ask(system.key, 'schemathesis.toml', [
    '--phases=examples,coverage,fuzzing',
    `--max-examples=${values.examples}`,
  ]);
  for (const [name, key] of await createRefusedKeys(system.databaseUrl)) {
    process.stdout.write(`With a key that is ${name}:\n`);
    const status = await ask(key, 'refused.toml', [
      '--include-path=/v1/events',
      '--include-path=/v1/stream',
      '--phases=fuzzing',
      `--max-examples=${REFUSED_EXAMPLES}`,
    ]);
    process.exitCode ||= status;
  }
} finally {
  await system.stop();
}
