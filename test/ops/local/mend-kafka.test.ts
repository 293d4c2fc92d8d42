import { beforeEach, expect, jest, test } from '@jest/globals';
import { createKafkaMending } from '../../../ops/local/mend-kafka.ts';
import type { SupervisedProcess } from '../../../service/supervise.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const SECOND = 1000;

let clock: ManualClock;
let stop: AbortController;
let broker: SupervisedProcess;
let restarts: number;
let restart: jest.Mock<() => Promise<void>>;
let told: string[];
/** By partition, the number of submissions that apply has taken, and of those in Kafka; null while a server is down. */
let topic: { done: number; stable_end: number }[] | null;
/** Whether Kafka answers while `topic` is null. */
let isDatabaseDown: boolean;
let mendKafka: () => Promise<void>;

const createBroker = (): SupervisedProcess => ({ exited: new Promise(() => {}), stop: async () => {} });

beforeEach(() => {
  clock = new ManualClock();
  stop = new AbortController();
  broker = createBroker();
  restarts = 0;
  told = [];
  isDatabaseDown = false;
  topic = [{ done: 90, stable_end: 100 }];
  restart = jest.fn(async () => {
    restarts += 1;
    broker = createBroker();
  });
  mendKafka = createKafkaMending({
    kafka: {
      current: () => broker,
      restart: () => restart(),
    },
    async measureLag() {
      if (topic === null) throw new Error('Kafka does not answer.');
      const submissions = topic.map((each, partition) => ({
        ...{ ...each, partition, end: each.stable_end },
        ...{ lag: each.stable_end - each.done, stable_lag: each.stable_end - each.done },
      }));
      return { submissions };
    },
    async askKafka() {
      if (topic === null && !isDatabaseDown) throw new Error('Kafka does not answer.');
      return {};
    },
    interrupted: stop.signal,
    report: (line) => told.push(line),
    clock,
  });
});

test('Kafka is restarted under steady traffic once apply has taken all that waited at first', async () => {
  const mended = mendKafka();
  await clock.advance(SECOND);
  topic = [{ done: 99, stable_end: 190 }];
  await clock.advance(SECOND);
  expect(restarts).toBe(0);
  topic = [{ done: 100, stable_end: 200 }];
  await clock.advance(SECOND);
  expect(restarts).toBe(1);
  await mended;
});

test('Kafka is not restarted while one of several partitions has submissions to apply', async () => {
  topic = [
    { done: 5, stable_end: 5 },
    { done: 6, stable_end: 7 },
  ];
  const mended = mendKafka();
  await clock.advance(60 * SECOND);
  expect(restarts).toBe(0);
  topic[1] = { done: 7, stable_end: 7 };
  await clock.advance(SECOND);
  expect(restarts).toBe(1);
  await mended;
});

test('Kafka is restarted if the servers first have to recover, and have lost submissions', async () => {
  const mended = mendKafka();
  await clock.advance(SECOND);
  topic = null;
  await clock.advance(SECOND);
  topic = [{ done: 95, stable_end: 95 }];
  await clock.advance(SECOND);
  expect(restarts).toBe(1);
  await mended;
});

test('a Kafka that hangs is restarted, although submissions wait', async () => {
  const mended = mendKafka();
  await clock.advance(SECOND);
  topic = null;
  await clock.advance(29 * SECOND);
  expect(restarts).toBe(0);
  await clock.advance(2 * SECOND);
  expect([restarts, told.at(-1)]).toEqual([1, expect.stringContaining('Kafka does not answer any more')]);
  await mended;
});

test('a Kafka that is away for a while, more than once, does not hang', async () => {
  const mended = mendKafka();
  for (let round = 0; round < 3; round += 1) {
    topic = null;
    await clock.advance(20 * SECOND);
    topic = [{ done: 90, stable_end: 100 }];
    await clock.advance(SECOND);
  }
  expect(restarts).toBe(0);
  stop.abort();
  await mended;
});

test('Kafka does not hang while only the database is away', async () => {
  [topic, isDatabaseDown] = [null, true];
  const mended = mendKafka();
  await clock.advance(60 * SECOND);
  expect(restarts).toBe(0);
  stop.abort();
  await mended;
});

test('a Kafka that has ended by itself meanwhile is not restarted', async () => {
  const mended = mendKafka();
  await clock.advance(SECOND);
  broker = createBroker();
  topic = [{ done: 100, stable_end: 100 }];
  await clock.advance(SECOND);
  expect(restarts).toBe(0);
  await mended;
});

test('a full disk during the wait causes no second restart, and a later one does', async () => {
  const both = [mendKafka(), mendKafka()];
  await settle();
  topic = [{ done: 100, stable_end: 100 }];
  await clock.advance(SECOND);
  await Promise.all(both);
  expect([restarts, told.length]).toEqual([1, 1]);
  await mendKafka();
  expect(restarts).toBe(2);
});

test('nothing is restarted once everything stops', async () => {
  const mended = mendKafka();
  await clock.advance(SECOND);
  stop.abort();
  await mended;
  expect(restarts).toBe(0);
});

test('a restart that fails is told, and the next full disk can have one', async () => {
  topic = [{ done: 100, stable_end: 100 }];
  restart.mockRejectedValueOnce(new Error('The port is taken.'));
  await mendKafka();
  expect([restarts, told.length, told[1]]).toEqual([0, 2, expect.stringContaining('The port is taken.')]);
  await mendKafka();
  expect(restarts).toBe(1);
});

test('partitions that are added during the wait, and what comes then, are not waited for', async () => {
  const mended = mendKafka();
  await clock.advance(SECOND);
  topic = [
    { done: 100, stable_end: 190 },
    { done: 0, stable_end: 50 },
  ];
  await clock.advance(SECOND);
  await mended;
  expect(restarts).toBe(1);
});
