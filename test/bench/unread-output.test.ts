import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';

test('a benchmark whose output nobody reads any more ends', async () => {
  const args = ['scale', '--streams', '100', '--changes', '5', '--reads', '10'];
  const child = spawn(process.execPath, ['bench/main.ts', ...args], {
    env: INHERITED_ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const giveUp = setTimeout(() => child.kill('SIGKILL'), 20_000);
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await once(child, 'exit')).toEqual([1, null]);
  clearTimeout(giveUp);
}, 30_000);
