import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const PROGRAM = `
import { createLog } from './service/log.ts';
const log = createLog('test', 'info');
log.info('first');
setTimeout(() => {
  log.info('second');
  process.stderr.write('alive');
  process.exit(0);
}, 200);`;

/** Runs a program whose standard output is this file. */
const runWith = (output: string) =>
  promisify(execFile)(
    'sh',
    ['-c', 'exec "$0" --input-type=module-typescript -e "$1" > "$2"', process.execPath, PROGRAM, output],
    {
      env: { PATH: process.env.PATH },
      timeout: 10_000,
    },
  );

// On Linux, this file always behaves like a full disk.
(existsSync('/dev/full') ? test : test.skip)(
  'a program continues and ends normally if its log cannot be written, as on a full disk',
  async () => {
    expect(await runWith('/dev/full')).toMatchObject({ stderr: 'alive' });
  },
);

test.each([
  ['is read no more', true, `log.info('first')`],
  ['has a reader that takes nothing', false, `for (let n = 0; n < 1000; n += 1) log.info('x'.repeat(1000))`],
])('a program ends although its log %s', async (_, isClosed, work) => {
  const program = `
import { createLog } from './service/log.ts';
const log = createLog('test', 'info');
process.once('message', () => {
  ${work};
  log.info('last');
  process.exit(0);
});
process.send('ready');`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: 10_000,
  });
  await once(child, 'message');
  const [, output] = child.stdio;
  if (isClosed && output) await once(output.destroy(), 'close');
  child.send('end');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
