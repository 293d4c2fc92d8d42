import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createCheckout, person, role } from '../helpers/officeholders/people-checkout.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { useTestService } from '../helpers/service/service.ts';
import { useFolder } from '../helpers/use-folder.ts';

const run = promisify(execFile);
const service = useTestService({ partitions: 3 });
const inFolder = useFolder();

beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('bakers-local-1', 'mayor', 'bob'),
    endorse('nobody', 'mayor', 'bob'),
  ]);
  await service.eventsOnceThereAre(2);
});

/** Python gives the program a terminal. */
const ON_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** Runs a command on a terminal or with pipes. @returns its whole output */
async function write(line: string, { onTerminal }: { onTerminal: boolean }): Promise<string> {
  const command = [process.execPath, 'ops/main.ts', ...line.split(' ')];
  const [program = '', ...args] = onTerminal ? ['python3', '-c', ON_TERMINAL, ...command] : command;
  const { stdout, stderr } = await run(program, args, {
    env: { PATH: process.env.PATH, TERM: 'xterm', DATA_DIR: '/nowhere', ...service.env() },
  });
  return stdout + stderr;
}

const renamed = async (name: string): Promise<string> => {
  const file = inFolder('endorsers.ndjson');
  await writeFile(file, `${JSON.stringify(endorser({ name }))}\n`);
  return file;
};

const onTerminal = findProgram('python3') === null ? test.skip : test;

onTerminal('long work shows its progress on a terminal', async () => {
  const writes = (line: string) => write(line, { onTerminal: true });
  expect(await writes('stream check')).toMatch(/Reading .* 100%/);
  expect(await writes('rejected list --all')).toMatch(/Reading .* 100%/);
  const imported = await writes(`catalog import ${await renamed('Bakers of the Coast')}`);
  expect(imported).toMatch(/Reading .* 100%/);
  expect(imported).toMatch(/Announcing .* 100%/);
  const checkout = await createCheckout({
    'or/legislature/ann.yml': person(1, 'Ann', [role('lower', 'state:or', { district: 7 })]),
  });
  const people = await writes(`officeholders import ${checkout.dir}`);
  await checkout.remove();
  expect(people).toMatch(/Reading .* 100%/);
});

test('writes no progress into pipes', async () => {
  const writes = (line: string) => write(line, { onTerminal: false });
  const written = [
    await writes('stream check'),
    await writes(`catalog import ${await renamed('Bakers of the Valley')}`),
  ];
  expect(written.join('')).not.toMatch(/\d%|\u2588/);
});
