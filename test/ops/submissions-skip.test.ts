import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { createConfig } from '../../ops/config.ts';
import { skipSubmission } from '../../ops/submissions/skip.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, type RecordedIo } from '../helpers/commands/command-io.ts';
import type { OutsideProducer, Place } from '../helpers/kafka/outside-client.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { bad, PARTITIONS, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useClient } from '../helpers/postgres/database.ts';
import { listen } from '../helpers/servers/listen.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const service = useTestService({ partitions: PARTITIONS });
const ledger = new SubmissionLedger(service);
const watcher = useClient(service.databaseUrl);
let producer: OutsideProducer;

beforeAll(async () => {
  producer = await startKafkajsClient(service.brokers, ledger.topic).open();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => Promise.all([producer.close(), ledger.close()]));

async function run(...args: [string, ...string[]]): Promise<RecordedIo> {
  const io = createIo(service.env());
  expect(await createRunner(args[0])(args.slice(1), io)).toBe(0);
  return io;
}

const skip = (origin: string) => run('submissions', 'skip', origin, '--reason', 'it stops every consumer');

const monster = bad(
  3,
  submissionCodec.encode(endorse('bakers-local-1', 'mayor', 'bob', { statement: 'A \u001b[31mmonster.' })),
);

test('INV-14: exactly the next submission can be skipped, and is then shown as rejected', async () => {
  await service.stopConsumers();
  const places = await ledger.send(producer, [monster, ledger.good(3), ledger.good(4)]);
  const [first, second] = places.map(({ partition, offset }) => `${partition}/${offset}`);
  await expect(skip(second as string)).rejects.toThrow(
    `${second} is not the next submission to apply; that is ${first}. Nothing was skipped.`,
  );
  await expect(skip('5/0')).rejects.toThrow('No submission of partition 5 waits');
  await expect(skip('77/0')).rejects.toThrow('has no partition 77');
  await skip(first as string);
  await expect(skip(first as string)).rejects.toThrow('is not the next submission');

  await service.startConsumers();
  await ledger.expectSettled();
  const { printed } = await run('rejected', 'show', first as string);
  expect(printed.slice(0, 2)).toEqual([
    'reason:    skipped: it stops every consumer',
    `origin:    ${ledger.topic}, partition 3, offset ${places[0]?.offset}`,
  ]);
  expect(printed.join('\n')).toContain('"choice": "bob"');
  expect(printed.join('\n')).not.toContain('\u001b');
  const audit = await run('audit', 'list');
  expect(audit.printed.join('\n')).toMatch(
    new RegExp(`submission\\.skipped\\s+submission ${first}\\s.*it stops every`),
  );
  expect((await run('rejected', 'retry')).told).toContainEqual(
    expect.stringMatching(/^1 were not, since an operator skipped them/),
  );
});

/** Makes reads of a partition find its records from one offset to another in an unreadable batch. */
function damage({ partition, offset: firstOffset }: Place, lastOffset: number): void {
  const fetch = TopicReader.prototype.fetchFromLeader;
  const replaced = async function (this: TopicReader, ...args: Parameters<typeof fetch>) {
    const read = await fetch.apply(this, args);
    if (read?.partition !== partition) return read;
    const isLost = ({ offset }: { offset: number }) => firstOffset <= offset && offset <= lastOffset;
    if (!read.records.some(isLost)) return read;
    const bytes = Buffer.from('damaged');
    const batch = { firstOffset, lastOffset, newestAt: Date.now(), bytes, reason: 'its checksum is wrong' };
    return { ...read, records: read.records.filter((record) => !isLost(record)), unreadable: [batch] };
  };
  jest.spyOn(TopicReader.prototype, 'fetchFromLeader').mockImplementation(replaced);
}

test('INV-14: an unreadable batch is skipped whole, after the submission before it and without the one behind it', async () => {
  await service.stopConsumers();
  const lost = { ...ledger.good(3), due: 'nothing' as const };
  const records = [monster, { ...lost, due: 'rejection' as const }, lost, lost, ledger.good(3)];
  const places = await ledger.send(producer, records);
  const [before, first, , last] = places as [Place, Place, Place, Place];
  damage(first, last.offset);
  await expect(skip(`3/${first.offset}`)).rejects.toThrow(`that is 3/${before.offset}. Nothing was skipped.`);
  await skip(`3/${before.offset}`);
  await skip(`3/${first.offset}`);
  jest.restoreAllMocks();

  await service.startConsumers();
  await ledger.expectSettled();
  expect((await ledger.rejections()).find(({ offset }) => offset === first.offset)).toMatchObject({
    code: 'skipped',
    last_offset: last.offset,
    value: Buffer.from('damaged'),
  });
});

/** Locks the head of the stream, as every writer does, and lets `work` wait for other waiting processes. */
async function withLockedStream(
  work: (untilWaiting: (processes: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const blocker = new pg.Client({ connectionString: service.databaseUrl });
  await blocker.connect();
  const countWaiting = async () => {
    const { rows } = await watcher.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%stream_head%'`,
    );
    return rows[0].count;
  };
  try {
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM stream_head FOR UPDATE');
    await work((processes) =>
      until(`${processes} processes wait for the lock`, async () => (await countWaiting()) === processes),
    );
    await blocker.query('COMMIT');
  } finally {
    await blocker.end();
  }
}

test('INV-14: apply continues after a submission that was skipped while apply waited for the lock', async () => {
  await service.stopConsumers();
  const [place] = await ledger.send(producer, [monster]);
  let skipping: Promise<unknown> | undefined;
  await withLockedStream(async (untilWaiting) => {
    skipping = skip(`3/${place?.offset}`);
    await untilWaiting(1);
    await service.startConsumers();
    await untilWaiting(2);
  });
  await skipping;
  await ledger.untilProbesApplied();
  await ledger.expectSettled();
});

test('a submission applied before the command has the lock is not skipped', async () => {
  let refused: Promise<void> | undefined;
  await withLockedStream(async (untilWaiting) => {
    const [place] = await ledger.send(producer, [ledger.good(3)]);
    await untilWaiting(1);
    refused = expect(skip(`3/${place?.offset}`)).rejects.toThrow(
      /^Another process has applied submissions of partition 3 meanwhile\. Nothing was skipped\./,
    );
    await untilWaiting(2);
  });
  await refused;
  await ledger.expectSettled();
});

test('the stream is not locked while the command waits for Kafka', async () => {
  const silent = createServer();
  const config = createConfig({
    ...service.env(),
    KAFKA_BROKERS: `127.0.0.1:${await listen(silent)}`,
  });
  const asked = once(silent, 'connection');
  const failed = expect(skipSubmission(config, { partition: 3, offset: 0 }, 'any')).rejects.toThrow();
  const [socket] = await asked;
  await watcher.query('SELECT FROM stream_head FOR UPDATE NOWAIT');
  silent.close();
  socket.destroy();
  await failed;
});
