import { existsSync } from 'node:fs';
import { readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
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

const LARGEST = 20 * 1024 * 1024;

test('a log that grows beyond 20 MB while it is open is put aside, and no line is lost', async () => {
  const file = inFolder('growing.log');
  const sizes = () => Promise.all([file, `${file}.1`].map(async (name) => (await stat(name)).size));
  await writeFile(file, '');
  await truncate(file, LARGEST - 3);
  const log = new LogFile(file, () => {});
  for (const line of ['first', 'second', 'third']) log.write(line);
  log.end();
  const later = 'second\nthird\n';
  await until('the lines are written', async () => {
    const [size, aside] = await sizes().catch(() => []);
    return size === later.length && aside === LARGEST - 3 + 'first\n'.length;
  });
  expect(await readFile(file, 'utf8')).toBe(later);
});

test('a log of more than 20 MB is put aside when it is opened, in the place of the one before, and a smaller one is continued', async () => {
  const file = inFolder('large.log');
  const logOnce = async (line: string) => {
    const log = new LogFile(file, () => {});
    log.write(line);
    const content = () => readFile(file, 'utf8').catch(() => '');
    await until('the line is written', async () => (await content()).endsWith(`${line}\n`));
    log.end();
  };
  await writeFile(`${file}.1`, 'older');
  await writeFile(file, '');
  await truncate(file, LARGEST - 6);
  await logOnce('first');
  expect([(await stat(file)).size, await readFile(`${file}.1`, 'utf8')]).toEqual([LARGEST, 'older']);
  await logOnce('second');
  expect((await stat(file)).size).toBe(LARGEST + 7);
  await logOnce('third');
  expect(await readFile(file, 'utf8')).toBe('third\n');
  expect((await stat(`${file}.1`)).size).toBe(LARGEST + 7);
});
