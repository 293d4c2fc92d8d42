import { execFile } from 'node:child_process';
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
