/**
 * `npm run test:mutants [-- [--static] PATH...]`: changes the code in small ways, one at a time, and names the changes
 * that no test notices. Without paths it does this for all rooms of rooms.ts, which takes hours; with a file, minutes.
 * Values from loading a file, such as constants, are changed only with `--static`.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { childExit } from '../../ops/local/processes/daemon.ts';
import { startTestServers, stopTestServers } from '../helpers/servers/test-servers.ts';
import { chooseMutants } from './rooms.ts';

const CONFIG = 'test/mutants/stryker.config.mjs';

async function runStryker(mutate: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const require = createRequire(import.meta.url);
  const folder = path.dirname(require.resolve('@stryker-mutator/core/package.json'));
  const args = [path.join(folder, 'bin', 'stryker.js'), 'run', CONFIG, '--mutate', mutate.join(',')];
  // It leads a process group, so that its test processes end with it, even if a mutant loops endlessly.
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
    detached: true,
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.on('exit', kill);
  const ending = await childExit(child);
  process.off('exit', kill);
  return ending === 'exit code 0';
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const args = process.argv.slice(2);
const chosen = chooseMutants(args.filter((arg) => arg !== '--static'));
const servers = chosen.some(({ room }) => room.needsServers) ? await startTestServers() : null;
try {
  for (const { room, mutate } of chosen) {
    const isDone = await runStryker(mutate, {
      MUTANT_ROOM: room.folder.replaceAll('/', '-'),
      MUTANT_TESTS: room.tests.join(' '),
      MUTANT_STATIC: args.includes('--static') ? '1' : '0',
      PROPERTY_LIMIT: '100',
      ...(servers && {
        TEST_DATABASE_URL: servers.databaseUrl,
        TEST_KAFKA_BROKERS: servers.brokers.addresses.join(','),
      }),
    });
    if (!isDone) {
      process.exitCode = 1;
      break;
    }
  }
} finally {
  if (servers) await stopTestServers();
}
