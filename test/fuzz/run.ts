/**
 * `npm run test:fuzz [-- --examples N] [--seed N]`: fuzzes a service of its own with the demo's ballot. Each run makes
 * other requests and prints its seed.
 */
import { parseArgs } from 'node:util';
import { installPythonPackages, runProgram } from '../helpers/clients/python.ts';
import { startSystem } from '../helpers/service/system.ts';
import { WEBHOOK_ENV } from '../helpers/webhooks/webhook-env.ts';
import { fuzz, STREAM } from './fuzz.ts';

const { values } = parseArgs({
  options: { examples: { type: 'string', default: '300' }, seed: { type: 'string' } },
});
const programs = await installPythonPackages();
if (programs === null) process.exit(1);
const system = await startSystem({
  STREAM_LIFETIME_MS: String(STREAM.streamLifetimeMs),
  STREAM_HEARTBEAT_MS: String(STREAM.streamHeartbeatMs),
  ...WEBHOOK_ENV,
});
try {
  const examples = Number(values.examples);
  const wrong = await fuzz({ ...system, programs, examples, seed: values.seed, run: runProgram });
  for (const each of wrong) process.stdout.write(`Wrong: ${each}.\n`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await system.stop();
}
