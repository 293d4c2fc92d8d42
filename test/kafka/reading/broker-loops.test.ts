import { afterEach, describe, expect, test } from '@jest/globals';
import { BrokerLoops, type BrokerLoopsOptions } from '../../../kafka/reading/broker-loops.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const WATCH_MS = 1000;
const RETRY_MS = 300;

/** By partition: the broker to read from. */
let sources: number[] = [];
/** The reads that the test ends, by broker. */
let reads: { node: number; end: PromiseWithResolvers<void> }[] = [];
let loops: BrokerLoops;
const clock = new ManualClock();
const { log, lines } = captureLog('info');

function start(options: Partial<BrokerLoopsOptions> = {}): void {
  reads = [];
  lines.length = 0;
  loops = new BrokerLoops({
    ...{ reader: { sources: async () => sources }, name: 'the topic', where: 'feed' },
    ...{ watchIntervalMs: WATCH_MS, clock, log },
    choose: (nodes) => new Set(nodes),
    read: (node) => {
      const end = Promise.withResolvers<void>();
      reads.push({ node, end });
      return end.promise;
    },
    ...options,
  });
  loops.start();
}

afterEach(async () => {
  const stopped = loops.stop();
  for (const { end } of reads) end.resolve();
  await stopped;
});

const readsOf = (wanted: number) => reads.filter(({ node }) => node === wanted);

test('INV-14: a broker that does not answer delays no other', async () => {
  sources = [1, 2, 1];
  start();
  await settle();
  expect(reads.map(({ node }) => node)).toEqual([1, 2]);
  for (let round = 0; round < 3; round += 1) {
    readsOf(2).at(-1)?.end.resolve();
    await settle();
  }
  expect([readsOf(1).length, readsOf(2).length]).toEqual([1, 4]);
});

test('a loop begins when a broker gets its first partition, and ends with its last', async () => {
  sources = [1];
  start();
  await settle();
  sources = [2];
  await clock.advance(WATCH_MS);
  expect(loops.nodes).toEqual([1, 2]);
  readsOf(1)[0]?.end.resolve();
  await settle();
  expect(loops.nodes).toEqual([2]);
});

test('a loop begins at once when a read has named another broker', async () => {
  sources = [1];
  start();
  await settle();
  sources = [1, 2];
  readsOf(1)[0]?.end.resolve();
  await settle();
  expect([readsOf(1).length, readsOf(2).length]).toEqual([2, 1]);
});

describe('while the brokers cannot be looked up', () => {
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

  test('they are asked again after a short pause, reported once, and read as soon as they answer', async () => {
    let failures = 2;
    sources = [1];
    const lookUp = async () => {
      failures -= 1;
      if (failures >= 0) throw away;
      return sources;
    };
    start({ reader: { sources: lookUp } });
    await settle();
    expect([reads.length, lines[0]?.msg]).toEqual([0, expect.stringContaining('cannot be looked up')]);
    await clock.advance(2 * RETRY_MS);
    expect([reads.length, lines.length]).toEqual([1, 1]);
    failures = 1;
    await clock.advance(WATCH_MS);
    expect(lines).toHaveLength(2);
  });

  test('the reading ends if the failure is of that kind', async () => {
    const seen: unknown[] = [];
    const endsFor = (error: unknown, node: number | null) => seen.push([error, node]) > 0;
    start({ reader: { sources: () => Promise.reject(away) }, endsFor });
    await clock.advance(WATCH_MS);
    expect([seen, lines]).toEqual([[[away, null]], []]);
  });
});

test('a failed read is reported once, and retried after a pause; after a success the next one is reported too', async () => {
  sources = [1];
  start();
  await settle();
  for (const failed of [0, 1]) {
    reads[failed]?.end.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
    await settle();
    expect(reads).toHaveLength(failed + 1);
    await clock.advance(RETRY_MS);
  }
  reads[2]?.end.resolve();
  await settle();
  expect(lines.map(({ msg }) => msg.split(';')[0])).toEqual([
    'the topic cannot be read',
    'the topic is readable again',
  ]);
  reads[3]?.end.resolve();
  await settle();
  expect(lines).toHaveLength(2);
  reads[4]?.end.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  await settle();
  expect(lines).toHaveLength(3);
});

test('a failure that ends the reading is not retried', async () => {
  sources = [1];
  start({ endsFor: () => true });
  await settle();
  reads[0]?.end.reject(new Error('another log'));
  await settle();
  await clock.advance(RETRY_MS);
  expect([reads.length, loops.nodes, lines]).toEqual([1, [], []]);
});

describe('a stop waits, without a report of a failure,', () => {
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

  /** Stops, then ends one part of the work after the other. @returns whether it had stopped before each end, and after */
  async function stopWhile(...ends: (() => void)[]): Promise<boolean[]> {
    await settle();
    const stops: boolean[] = [];
    let isStopped = false;
    void loops.stop().then(() => {
      isStopped = true;
    });
    for (const end of [...ends, () => {}]) {
      await settle();
      stops.push(isStopped);
      end();
    }
    return stops;
  }

  test('for the reads under way', async () => {
    sources = [1, 2];
    start();
    const stops = await stopWhile(
      () => readsOf(1)[0]?.end.resolve(),
      () => readsOf(2)[0]?.end.reject(away),
    );
    expect([stops, lines]).toEqual([[false, false, true], []]);
  });

  test('for the look for brokers under way', async () => {
    const look = Promise.withResolvers<number[]>();
    start({ reader: { sources: () => look.promise } });
    expect([await stopWhile(() => look.reject(away)), lines]).toEqual([[false, true], []]);
  });
});
