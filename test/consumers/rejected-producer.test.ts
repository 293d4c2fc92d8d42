import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { KafkaConfig } from 'kafkajs';
import type pg from 'pg';
import { pendingRejections } from '../../consumers/apply/metrics.ts';
import { RejectionSender } from '../../consumers/apply/rejection-sender.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createRejectedProducer, RecordTooLargeError } from '../../kafka/writing/rejected-producer.ts';
import { type Rejection, rejectionCodec, submissionCodec } from '../../schemas/submission.ts';
import type { Brokers } from '../../service/brokers.ts';
import { createLog } from '../../service/log.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { loadAllRejections } from '../helpers/kafka/all-rejections.ts';
import { createHushedKafka, type HushedKafka } from '../helpers/kafka/hushed-kafka.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { settle } from '../helpers/service/manual-clock.ts';
import { until } from '../helpers/until.ts';

let brokers: Brokers;
let topic: string;
let way: HushedKafka;

beforeEach(async () => {
  const topics = await createTestTopics({ partitions: 1 });
  brokers = topics.brokers;
  topic = topicNames(topics.prefix).rejected;
});

/** A producer of rejections whose broker can be silenced. */
async function openProducer(config: Partial<KafkaConfig> = {}) {
  way = createHushedKafka(brokers, config);
  const producer = createRejectedProducer(way.kafka, { brokers, topic });
  return producer;
}

const encoded = submissionCodec.encode(endorse('nobody', 'mayor', 'ann'));
const rejection = (offset: number): Rejection => ({
  code: 'unknown_endorser',
  message: 'There is none.',
  topic: 'submissions',
  partition: 0,
  offset,
  rejected_at: offset,
  last_offset: null,
  truncated: null,
  value: encoded,
});
/** A rejection as a record. */
const record = (offset: number) => ({
  key: Buffer.from('nobody'),
  value: rejectionCodec.encode(rejection(offset)),
});

async function recordedOffsets(): Promise<number[]> {
  const { rejections } = await loadAllRejections({ brokers, topic });
  return rejections.map(({ offset }) => offset);
}

/** Sends a request and loses its acknowledgement: the broker has it, but the producer does not know. */
async function sendInVain(producer: Awaited<ReturnType<typeof openProducer>>, offset: number) {
  way.hush();
  const failed = expect(producer.send([record(offset)])).rejects.toThrow();
  await until('the broker has it', async () => (await recordedOffsets()).includes(offset));
  way.mend();
  await failed;
}

test('INV-9: after lost acknowledgements, later rejections do not count as duplicates', async () => {
  const producer = await openProducer();
  await producer.send([record(1)]);
  await sendInVain(producer, 2);
  // Another consumer has the partition now; this one continues with its own.
  for (const offset of [3, 4, 5]) await producer.send([record(offset)]);
  expect(await recordedOffsets()).toEqual([1, 2, 3, 4, 5]);
  await producer.disconnect();
});

test('a client that has failed is ended, and another one sends the next rejections', async () => {
  let opened = 0;
  const ended: number[] = [];
  const open = () => {
    opened += 1;
    const own = opened;
    const send = async () => {
      if (own === 1) throw new Error('away');
    };
    return { connect: async () => {}, send, disconnect: async () => void ended.push(own) };
  };
  const producer = createRejectedProducer({ producer: open } as never, { brokers, topic });
  await expect(producer.send([record(1)])).rejects.toThrow('away');
  await producer.send([record(1)]);
  expect([opened, ended]).toEqual([2, [1]]);
});

test('a request that was given up sends nothing through the next client', async () => {
  const connected = Promise.withResolvers<void>();
  let opened = 0;
  const senders: number[] = [];
  const open = () => {
    opened += 1;
    const own = opened;
    const send = async () => void senders.push(own);
    return { connect: () => connected.promise, send, disconnect: async () => {} };
  };
  const producer = createRejectedProducer({ producer: open } as never, { brokers, topic });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  timers.mockImplementationOnce(((late: () => void) => late()) as never);
  await expect(producer.send([record(1)])).rejects.toThrow('did not take rejections');
  timers.mockRestore();
  connected.resolve();
  await settle();
  expect([opened, senders]).toEqual([2, [1]]);
});

test('INV-14: a batch that the topic refuses is distinguished from other failures', async () => {
  const producer = await openProducer();
  const large = { key: Buffer.from('nobody'), value: Buffer.alloc(3_000_000) };
  await expect(producer.send([large])).rejects.toThrow(RecordTooLargeError);
  await producer.send([record(1)]);
  expect(await recordedOffsets()).toEqual([1]);
  await producer.disconnect();
});

describe('the sender of rejections', () => {
  const { url, client } = useTestDatabase();
  const pool = usePool(url);
  const waiting = async () => (await client.query('SELECT FROM pending_rejections')).rowCount;

  test('sends waiting rejections in order, and deletes them', async () => {
    const stopping = new AbortController();
    const producer = await openProducer();
    await addPendingRejections(client, [3, 1, 2].map(record));
    const sender = new RejectionSender(pool, producer, createLog('test', 'silent'));
    const running = sender.run(stopping.signal);
    await until('all are sent', async () => (await waiting()) === 0);
    await addPendingRejections(client, [record(4)]);
    sender.notify();
    await until('the next is sent', async () => (await waiting()) === 0);
    stopping.abort();
    await running;
    await producer.disconnect();
    expect(await recordedOffsets()).toEqual([1, 2, 3, 4]);
  });

  test('INV-14: does not use a connection again on which Postgres has fallen silent', async () => {
    const path = await TcpProxy.open(url);
    const own = createWorkPool(path.url, 1, () => {}, { query_timeout: 500 });
    await own.query('SELECT');
    path.silence();
    await addPendingRejections(client, [record(1)]);
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => lines.push(line) });
    const stopping = new AbortController();
    const running = new RejectionSender(own, { send: async () => {} }, log).run(stopping.signal);
    await until('it failed', () => lines.length > 0);
    path.mend();
    await until('it is sent', async () => (await waiting()) === 0, 10_000);
    stopping.abort();
    await running;
    await own.end();
    await path.close();
  });

  test('INV-14: leaves the connections to other work while Kafka takes its time', async () => {
    const own = createWorkPool(url, 1, () => {});
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const send = jest.fn(() => taken);
    await addPendingRejections(client, [record(1)]);
    const stopping = new AbortController();
    const running = new RejectionSender(own, { send }, createLog('test', 'silent')).run(stopping.signal);
    await until('Kafka is asked', () => send.mock.calls.length > 0);
    await own.query('SELECT');
    take();
    await until('it is deleted', async () => (await waiting()) === 0);
    stopping.abort();
    await running;
    await own.end();
  });

  test('looks again at once for rejections that were stored while it looked', async () => {
    let looks = 0;
    const query = async (statement: string) => {
      if (statement.startsWith('SELECT count')) return { rows: [{ count: 0 }] };
      looks += 1;
      if (looks === 1) sender.notify();
      return { rows: [] };
    };
    const empty = { query } as unknown as pg.Pool;
    const sender = new RejectionSender(empty, { send: async () => {} }, createLog('test', 'silent'));
    const stopping = new AbortController();
    const running = sender.run(stopping.signal);
    await until('the second look', () => looks === 2, 1000);
    stopping.abort();
    await running;
  });

  test('INV-14: shortens rejections that the topic refuses, and continues', async () => {
    const stopping = new AbortController();
    const producer = await openProducer();
    const value = Buffer.alloc(5_000_000, 7);
    const large = { key: Buffer.alloc(0), value: rejectionCodec.encode({ ...rejection(1), value }) };
    await addPendingRejections(client, [large, record(2)]);
    const sender = new RejectionSender(pool, producer, createLog('test', 'silent'));
    const running = sender.run(stopping.signal);
    await until('all are sent', async () => (await waiting()) === 0);
    stopping.abort();
    await running;
    await producer.disconnect();
    const { rejections } = await loadAllRejections({ brokers, topic });
    expect(rejections.map(({ offset, truncated }) => [offset, truncated?.size])).toEqual([
      [1, 5_000_000],
      [2, undefined],
    ]);
  });

  /** Sends through a producer in memory until it has sent all. @returns the offsets of its successful requests */
  function sendWith(
    refuse: (offsets: number[]) => Error | undefined,
    wait: (ms: number) => Promise<void> = async () => {},
  ) {
    const requests: number[][] = [];
    const stopping = new AbortController();
    const producer: ConstructorParameters<typeof RejectionSender>[1] = {
      async send(records) {
        const offsets = records.map(({ value }) => rejectionCodec.decode(value).offset);
        const error = refuse(offsets);
        if (error) throw error;
        requests.push(offsets);
      },
    };
    const log = createLog('test', 'silent');
    const sender = new RejectionSender(pool, producer, log, { wait });
    const running = sender.run(stopping.signal);
    const finish = async () => {
      sender.notify();
      await until('all are sent', async () => (await waiting()) === 0);
    };
    const stop = async () => {
      stopping.abort();
      await running;
    };
    return { requests, finish, stop };
  }

  test('INV-14: sends rejections in smaller requests if the topic refuses them together, each once', async () => {
    await addPendingRejections(client, [1, 2, 3, 4, 5].map(record));
    const { requests, finish, stop } = sendWith((offsets) =>
      offsets.length > 2 ? new RecordTooLargeError() : undefined,
    );
    await finish();
    await stop();
    expect(requests.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(requests.every((offsets) => offsets.length <= 2)).toBe(true);
  });

  test('waits longer after each failure of an outage, and briefly again in the next outage', async () => {
    const waits: number[] = [];
    let failures = 3;
    const { finish, stop } = sendWith(
      () => {
        failures -= 1;
        return failures >= 0 ? new Error('no broker') : undefined;
      },
      async (ms) => void waits.push(ms),
    );
    for (const [offset, times] of [
      [1, 3],
      [2, 2],
    ] as const) {
      failures = times;
      await addPendingRejections(client, [record(offset)]);
      await finish();
    }
    await stop();
    expect(waits).toEqual([200, 400, 800, 200, 400]);
  });

  test('INV-14: keeps rejections until Kafka accepts them', async () => {
    const stopping = new AbortController();
    const producer = await openProducer({ requestTimeout: 300, retry: { retries: 0 } });
    way.hush();
    await addPendingRejections(client, [record(1)]);
    const lines: string[] = [];
    const log = createLog('test', 'warn', { write: (line) => lines.push(line) });
    const running = new RejectionSender(pool, producer, log).run(stopping.signal);
    await until('it failed', () => lines.some((line) => line.includes('wait in the database')));
    expect(await waiting()).toBe(1);
    expect((await pendingRejections.get()).values[0]?.value).toBe(1);
    way.mend();
    await until('it is sent', async () => (await waiting()) === 0);
    await until('none is counted', async () => (await pendingRejections.get()).values[0]?.value === 0);
    stopping.abort();
    await running;
    await producer.disconnect();
    expect(await recordedOffsets()).toEqual([1]);
  });
});
