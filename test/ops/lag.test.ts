import { connect, createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { measureLag } from '../../administration/lag.ts';
import { findOldestWork, type OldestWork } from '../../administration/oldest-work.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { createKafkaClient } from '../../kafka/connection/client.ts';
import { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import { applyGroup, topicNames } from '../../kafka/topic-names.ts';
import { rejectionCodec, submissionCodec } from '../../schemas/submission.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, type RecordedIo } from '../helpers/commands/command-io.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { listen } from '../helpers/servers/listen.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const lag = createRunner('lag');

const service = useTestService({ partitions: 3 });

function createLagIo({ outTerminal = false, brokers = '' } = {}): RecordedIo {
  const io = createIo({ ...service.env(), ...(brokers && { KAFKA_BROKERS: brokers }) });
  return { ...io, outTerminal };
}

async function ask(...args: string[]): Promise<string[]> {
  const io = createLagIo();
  expect(await lag(args, io)).toBe(0);
  return io.printed;
}

/** The clocks of Kafka and of this process may differ by some milliseconds. */
const CLOCK_MS = 1000;

/** The oldest work that waits, as the status page shows it. */
async function oldestWork(): Promise<OldestWork> {
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
  const place = { brokers: service.brokers, topicPrefix: service.topicPrefix };
  try {
    return await findOldestWork(pool, place, await measureLag(pool, place));
  } finally {
    await pool.end();
  }
}

test('lag counts waiting submissions and changes to relay', async () => {
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann'), endorse('coast-gazette', 'mayor', 'bob')]);
  await service.eventsOnceThereAre(2);
  const calm = JSON.parse((await ask('--json'))[0] ?? '');
  expect(calm.submissions.map(({ lag: waiting }: { lag: number }) => waiting)).toEqual(
    calm.submissions.map(() => 0),
  );
  expect(calm.changes).toEqual({ done: 2, end: 2, lag: 0, oldest_seconds: 0 });
  expect(calm.rejections).toEqual({ lag: 0 });

  expect(await oldestWork()).toEqual({});
  await service.stopConsumers();
  const begun = Date.now();
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'bob'),
    endorse('bakers-local-1', 'mayor', 'cyd'),
    endorse('coast-gazette', 'mayor', 'ann'),
  ]);
  const waiting = JSON.parse((await ask('--json'))[0] ?? '');
  const total = waiting.submissions.reduce((sum: number, entry: { lag: number }) => sum + entry.lag, 0);
  expect(total).toBe(3);
  // The last applied submission of each partition came before.
  const { submission, ...others } = await oldestWork();
  expect(submission?.getTime()).toBeGreaterThan(begun - CLOCK_MS);
  expect(submission?.getTime()).toBeLessThan(Date.now() + CLOCK_MS);
  expect(others).toEqual({});
  const table = await ask();
  expect(table[0]).toBe('WHAT\tDONE\tLAST STABLE\tEND\tLAG TO LAST STABLE\tLAG');
  expect(table.at(-3)).toBe('all submissions\t-\t-\t-\t3\t3');
  expect(table.at(-2)).toBe('changes\t2\t-\t2\t-\t0');
  expect(table.at(-1)).toBe('rejections\t-\t-\t-\t-\t0');
});

test('the oldest rejection that waits tells since when', async () => {
  const rejected_at = Date.parse('2026-11-03T10:00:00Z');
  const origin = { topic: 't', partition: 0, offset: 1, last_offset: null, truncated: null };
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
  await inTransaction(pool, (client) =>
    addPendingRejections(
      client,
      [0, 1].map((more) => ({
        key: Buffer.from('x'),
        value: rejectionCodec.encode({
          ...{ code: 'unknown_endorser', message: 'No.', value: null, rejected_at: rejected_at + more },
          ...origin,
        }),
      })),
    ),
  );
  expect((await oldestWork()).rejection).toEqual(new Date(rejected_at));
  await pool.query('DELETE FROM pending_rejections');
  await pool.end();
});

test('submissions that expired before they were applied do not wait', async () => {
  const topic = topicNames(service.topicPrefix).submissions;
  await withAdmin(service.brokers, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const filled = ends.filter(({ high }) => high !== '0');
    const partitions = filled.map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
  });
  const { submissions } = JSON.parse((await ask('--json'))[0] ?? '');
  const lags = submissions.map(({ lag, stable_lag }: { lag: number; stable_lag: number }) => [
    lag,
    stable_lag,
  ]);
  expect(lags).toEqual(lags.map(() => [0, 0]));
});

test('lag and the metrics show submissions behind an open transaction', async () => {
  await service.startConsumers();
  // So that the time of the newest applied submission of its partition is known.
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  const idle = async () => JSON.parse((await ask('--json'))[0] ?? '').submissions;
  const total = (lags: Record<string, number>[], name: string) =>
    lags.reduce((sum, each) => sum + (each[name] ?? 0), 0);
  await until('nothing waits', async () => total(await idle(), 'lag') === 0);

  const kafka = createKafkaClient({ brokers: service.brokers, clientId: 'test' });
  const producer = kafka.producer({
    transactionalId: service.topicPrefix,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await producer.connect();
  const transaction = await producer.transaction();
  const messages = [
    { key: 'bakers-local-1', value: submissionCodec.encode(endorse('bakers-local-1', 'mayor', 'bob')) },
  ];
  const begun = Date.now();
  await transaction.send({ topic: topicNames(service.topicPrefix).submissions, messages });

  const held = await idle();
  expect([total(held, 'lag'), total(held, 'stable_lag')]).toEqual([1, 0]);
  const { submission, held: heldSince } = await oldestWork();
  expect(heldSince).toEqual(submission);
  expect(heldSince?.getTime()).toBeGreaterThan(begun - CLOCK_MS);
  const waiting = (state: string) => metricValue('submissions_waiting', { state });
  const heldBackSeconds = () => metricValue('submissions_held_back_seconds');
  await until('the metrics', async () => (await waiting('held_back')) === 1);
  expect(await waiting('readable')).toBe(0);
  await until('the time', async () => (await heldBackSeconds()) > 1);

  // A second submission waits behind it.
  await transaction.send({ topic: topicNames(service.topicPrefix).submissions, messages });
  expect(await oldestWork()).toMatchObject({ submission, held: submission });
  await transaction.commit();
  await producer.disconnect();
  await until('it is applied', async () => total(await idle(), 'lag') === 0);
  await until(
    'the metrics',
    async () => (await waiting('held_back')) === 0 && (await heldBackSeconds()) === 0,
  );
});

test('a restart commits the offsets of the group that the process before has not committed', async () => {
  const { brokers, topicPrefix } = service;
  const topic = topicNames(topicPrefix).submissions;
  const groupId = applyGroup(topicPrefix);
  const group = new GroupOffsets({ brokers, groupId, topic });
  const ends = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  const isCurrent = async () => {
    const committed = await group.load();
    return ends.every(({ partition, high }) => committed.get(partition) === Number(high));
  };
  await until('all is committed', isCurrent);
  await service.stopConsumers();
  await withAdmin(brokers, (admin) => admin.resetOffsets({ groupId, topic, earliest: true }));
  expect(await isCurrent()).toBe(false);
  await service.startConsumers();
  await until('all is committed again', isCurrent);
  await group.close();
});

test('any other option is refused', async () => {
  await expect(ask('--yaml')).rejects.toThrow(/^Unknown option '--yaml'/);
});

/** Watches until the condition holds, then presses Ctrl-C. */
async function watch(io: RecordedIo, args: string[], condition: () => boolean | Promise<boolean>) {
  const ended = lag(['--watch', '1', ...args], io);
  try {
    await until('the watched lag', condition);
  } finally {
    io.interrupt();
  }
  expect(await ended).toBe(0);
}

describe('--watch', () => {
  test('prints a line with the time repeatedly, and reports an outage in between', async () => {
    const [broker = ''] = service.brokers.addresses;
    const port = Number(broker.split(':')[1]);
    const switchboard = await TcpProxy.open(port);
    const brokers = switchboard.address.replace('http://', '');
    const io = createLagIo({ brokers });
    await watch(io, [], async () => {
      if (io.printed.length === 1) switchboard.target = 1;
      if (io.told.length === 1) switchboard.target = port;
      return io.told.length > 0 && io.printed.length > 1;
    });
    await switchboard.close();
    expect(io.printed[0]).toMatch(/^\d{4}-\S+Z {2}submissions 0, changes 0, rejections 0$/);
    expect(io.told[0]).toMatch(/^\d{4}-\S+Z {2}Kafka at \S+ (ends the connection: |does not answer \()/);
  });

  test('redraws a table with aligned columns on a terminal', async () => {
    const io = createLagIo({ outTerminal: true });
    await watch(io, [], () => io.printed.length > 1);
    const lines = io.printed[1]?.split('\n') ?? [];
    expect(lines[0]).toContain('\u001b[H\u001b[2J2');
    expect(new Set(lines.slice(2).map(({ length }) => length)).size).toBe(1);
  });

  test('prints objects with the time with --json', async () => {
    const io = createLagIo();
    await watch(io, ['--json'], () => io.printed.length > 0);
    expect(JSON.parse(io.printed[0] ?? '')).toMatchObject({ at: expect.any(String), rejections: { lag: 0 } });
  });

  test.each(['0', 'x'])('refuses an interval of %s', async (seconds) => {
    await expect(ask('--watch', seconds)).rejects.toThrow(
      `--watch is "${seconds}"; it must be a whole number from 1 to 9999.`,
    );
  });
});

test('a server that fails during a command is named in one sentence', async () => {
  const [broker = ''] = service.brokers.addresses;
  // The first connection shows that the broker exists.
  const proxy = createServer((socket) => {
    proxy.close();
    const onward = connect(Number(broker.split(':')[1]), '127.0.0.1');
    for (const one of [socket, onward]) one.on('error', () => {});
    socket.pipe(onward).pipe(socket);
  });
  const port = await listen(proxy);
  await expect(lag([], createLagIo({ brokers: `127.0.0.1:${port}` }))).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringMatching(
      /^Kafka does not answer \(.+[^.]\): run the command again once it does\.$/,
    ),
  });
});
