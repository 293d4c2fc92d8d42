import { existsSync } from 'node:fs';
import { readFile, rm, symlink } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { LogFile } from '../../../../ops/local/processes/log-file.ts';
import { until } from '../../../helpers/until.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

/** A Linux file that always behaves like a full disk. */
const FULL = '/dev/full';
const inFolder = useFolder();

(existsSync(FULL) ? test : test.skip)(
  'a log on a full disk fails harmlessly, reports it once, and continues once there is room',
  async () => {
    const file = inFolder('gateway.log');
    await symlink(FULL, file);
    const failures: string[] = [];
    const log = new LogFile(file, (error) => failures.push((error as NodeJS.ErrnoException).code ?? ''));
    log.write('lost');
    await until('a failure', () => failures.length > 0);
    // It is tried again, in vain.
    log.write('lost');

    await rm(file);
    const content = () => readFile(file, 'utf8').catch(() => '');
    await until('a line is written', async () => {
      log.write('kept');
      return (await content()).includes('kept');
    });
    expect(await content()).toMatch(
      /^\nLines are missing here: ENOSPC: no space left on device, write\.\nkept\n/,
    );
    expect(failures).toEqual(['ENOSPC']);
    log.end();
  },
);

test('a log whose folder cannot be made fails harmlessly', () => {
  const failures: Error[] = [];
  const log = new LogFile('/dev/null/logs/gateway.log', (error) => failures.push(error));
  log.write('lost');
  log.write('lost');
  expect(failures).toHaveLength(1);
});
