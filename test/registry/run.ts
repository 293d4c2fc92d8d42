/**
 * `npm run test:registry [-- --url ADDRESS]`: `schemas register` and `schemas check` against a real schema registry. By
 * default that is Apicurio, which Maven fetches once (140 MB). `--url` names another one, with its user in
 * SCHEMA_REGISTRY_USERNAME and its password in SCHEMA_REGISTRY_PASSWORD. The subjects that stay there begin with `t`
 * and eight digits. The exit status is 1 if a case fails.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { stopWhenInterrupted } from '../helpers/service/interrupted.ts';
import { startApicurio } from './apicurio.ts';
import { CASES } from './cases.ts';

const { values } = parseArgs({ options: { url: { type: 'string' } } });
const stack = new AsyncDisposableStack();
stopWhenInterrupted(() => stack.disposeAsync());
const print = (line: string) => process.stdout.write(`${line}\n`);

async function start(): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-registry-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const registry = await startApicurio(dir);
  stack.defer(() => registry.stop());
  return registry.url;
}

try {
  const settings = Object.entries(process.env).filter(([name]) => name.startsWith('SCHEMA_REGISTRY_'));
  const url = values.url ?? (await start());
  for (const [name, check] of Object.entries(CASES)) {
    const failure = await check({
      ...(Object.fromEntries(settings) as Record<string, string>),
      SCHEMA_REGISTRY_URL: url,
    }).catch((error: Error) => error);
    print(`${failure ? 'FAILED' : 'ok    '}  ${name}`);
    if (!failure) continue;
    print(inspect(failure));
    process.exitCode = 1;
  }
} catch (error) {
  print(inspect(error));
  process.exitCode = 1;
} finally {
  await stack.disposeAsync();
}
process.exit();
