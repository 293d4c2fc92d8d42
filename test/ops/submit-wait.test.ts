import { expect, test } from '@jest/globals';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { countPendingRejections } from '../../store/stream/pending-rejections.ts';
import { ndjson } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';
import { alterTopic } from '../helpers/kafka/topics.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const run = createRunner('submit');

const service = useTestService({ partitions: 2 });

const CONTEST = 'or-2026-11-03-general/mayor';
const record = (endorser: string, choice: string, more = {}) => ({
  endorser,
  contest: CONTEST,
  choice,
  ...more,
});

const createServiceIo = (stdin = '') => createIo(service.env(), { stdin });

/** Makes the rejected topic refuse every record, so that rejections stay in Postgres. */
const refuseRejections = () =>
  withAdmin(service.brokers, (admin) =>
    alterTopic(admin, topicNames(service.topicPrefix).rejected, { 'max.message.bytes': '1' }),
  );

async function countPending(): Promise<number> {
  return withClient(service.databaseUrl, (client) => countPendingRejections(client));
}

test('submit --wait says how many of several files made changes, changed nothing or were rejected, and why', async () => {
  const folder = await createFolder({
    'a.ndjson': ndjson([record('bakers-local-1', 'ann'), record('coast-gazette', 'bob')]),
    'b.ndjson': ndjson([record('coast-gazette', 'bob'), record('nobody', 'ann')]),
  });
  const stdin = ndjson([
    // Two picks: a submission with two changes counts once.
    {
      action: 'position',
      endorser: 'nation-herald',
      contest: CONTEST,
      picks: ['ann', 'bob'].map((choice) => ({ choice })),
    },
    record('bakers-local-1', 'zed'),
    record('bakers-local-1', 'ann', { action: 'withdraw' }),
  ]);
  const io = createServiceIo(stdin);
  const status = await runToExit(run, ['--wait', folder.file('a.ndjson'), folder.file('b.ndjson'), '-'], io);
  expect(io.printed).toEqual([
    '7 submissions sent',
    '7 applied: 4 made changes, 1 changed nothing, 2 rejected',
  ]);
  expect(io.told.slice(0, 2)).toEqual([
    expect.stringMatching(/^rejected 1\/\d+: unknown_endorser: No endorser .* \(nobody in .*: ann\)$/),
    expect.stringMatching(
      /^rejected 4\/\d+: unknown_choice: Contest .* has no choice "zed"\. \(bakers-local-1 in .*: zed\)$/,
    ),
  ]);
  expect(io.told[2]).toMatch(
    /^Rejected: (1 unknown_choice, 1 unknown_endorser|1 unknown_endorser, 1 unknown_choice)\.$/,
  );
  expect(io.told[3]).toMatch(/^2 submissions were rejected\./);
  expect(status).toBe(1);
  await folder.remove();
});

test('other submissions meanwhile do not count, and the exit status is 0 without rejections', async () => {
  await service.submit([endorse('nobody', 'mayor', 'ann'), endorse('coast-gazette', 'council', 'ann')]);
  const io = createServiceIo(ndjson([record('coast-gazette', 'cyd'), record('coast-gazette', 'cyd')]));
  expect(await run(['--wait', '-'], io)).toBe(0);
  expect(io.printed[1]).toBe('2 applied: 1 made changes, 1 changed nothing, 0 rejected');
  expect(io.told).toEqual([]);
});

test('after the timeout and after Ctrl-C, submit says how many are applied and how many wait', async () => {
  await service.stopConsumers();
  const late = createServiceIo(ndjson([record('bakers-local-1', 'bob')]));
  const timeUp = run(['--wait', '--timeout', '1', '-'], late);
  await expect(timeUp).rejects.toThrow(
    /^1 seconds have passed: 1 submissions are in Kafka but not applied yet\./,
  );
  await expect(timeUp).rejects.toHaveProperty('name', 'UnfinishedError');
  expect(late.printed).toEqual([
    '1 submissions sent',
    '0 applied: 0 made changes, 0 changed nothing, 0 rejected',
  ]);

  const stopped = createServiceIo(ndjson([record('bakers-local-1', 'cyd'), record('nobody', 'cyd')]));
  const waiting = run(['--wait', '-'], stopped);
  await until('the wait', () => stopped.printed.length > 0 && stopped.interrupt());
  await expect(waiting).rejects.toThrow(/^You pressed Ctrl-C: 2 submissions are in Kafka/);
  expect(stopped.interrupt()).toBe(false);

  const folder = await createFolder({ 'dee.ndjson': ndjson([record('bakers-local-1', 'dee')]) });
  const program = startProcess('ops/main.ts', service.env(), ['submit', '--wait', folder.file('dee.ndjson')]);
  await until('the wait of the program', () => program.output() === '1 submissions sent\n');
  await program.kill('SIGINT');
  expect(program.exitCode()).toBe(2);
  expect(program.output()).toMatch(/^You pressed Ctrl-C: 1 submissions are in Kafka/m);
  await folder.remove();
  await service.startConsumers();
});

test('without --wait, submit names the commands that show the outcome', async () => {
  const io = createServiceIo(ndjson([record('bakers-local-1', 'bob')]));
  expect(await run(['-'], io)).toBe(0);
  expect(io.told).toEqual([
    expect.stringMatching(/ops -- lag".*"npm run ops -- rejected list".*--wait waits/),
  ]);
});

test('a rejection that is not yet in the rejected topic is found in the database', async () => {
  await refuseRejections();
  const io = createServiceIo(ndjson([record('nobody-yet', 'ann')]));
  expect(await runToExit(run, ['--wait', '-'], io)).toBe(1);
  expect(io.printed[1]).toBe('1 applied: 0 made changes, 0 changed nothing, 1 rejected');
  expect(await countPending()).toBeGreaterThan(0);
});

test.each([
  [['-', '--timeout', '5'], /^--timeout is of use only with --wait\.$/],
  [
    ['-', '--wait', '--timeout', 'soon'],
    /^--timeout is "soon"; it must be a whole number from 1 to 999999\.$/,
  ],
])('the arguments %j are refused', async (args, message) => {
  await expect(run(args, createServiceIo())).rejects.toThrow(message);
});

test('stored offsets of a recreated topic do not count as applied', async () => {
  await service.stopConsumers();
  // As after a loss of Kafka, before the consumers notice the new topic.
  await service.query('UPDATE consumed_topics SET topic_id = gen_random_uuid()::text');
  await service.query('UPDATE consumer_offsets SET next_offset = next_offset + 1000');
  const io = createServiceIo(ndjson([record('bakers-local-1', 'bob')]));
  await expect(run(['--wait', '--timeout', '2', '-'], io)).rejects.toThrow(
    '1 submissions are in Kafka but not applied',
  );
});
