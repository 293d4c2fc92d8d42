/**
 * INV-5, INV-6: the window depends on age, whatever the broker does meanwhile. The window is seconds long, on a topic
 * whose segments close at once, with a cleaner that never rests. At every moment a cursor inside the window gets
 * everything, and one outside gets 410. In one test the broker deletes old records, in the other it compacts them.
 */

import { afterEach, expect, test } from '@jest/globals';
import type { StreamFilter } from '../../domain/stream-filter.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { changesTopicSettings } from '../../kafka/topics/topic-settings.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { systemClock } from '../../service/clock.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { alterTopic } from '../helpers/kafka/topics.ts';
import { TestService } from '../helpers/service/service.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import {
  type Connection,
  connectionOfPage,
  StreamChecker,
  sequenceOf,
} from '../helpers/stream/stream-checker.ts';
import { StreamReader } from '../helpers/stream/stream-reader.ts';
import { until } from '../helpers/until.ts';

const RETENTION_MS = 4000;
/** Covers rounding, and a clock that is being corrected meanwhile. */
const CLOCK_ERROR_MS = 100;
const PARTITIONS = 6;
/** The changes of a busy endorser for each change of an idle one. */
const IDLE_EVERY = 15;
/** The number of cursors to try both inside and outside the window. */
const TRIALS = 40;

const EAGER_CLEANER = { 'segment.ms': '100', 'min.cleanable.dirty.ratio': '0.001' };

let service: TestService;
let round = 0;

afterEach(() => service.stop());

async function start(settings: Record<string, string>): Promise<void> {
  service = await TestService.start({
    gateways: 2,
    partitions: PARTITIONS,
    retentionMs: RETENTION_MS,
    // The database's clock, estimated without a round trip, because a busy machine can delay one by any time.
    clock: systemClock,
    gatewayConfig: { feedMemoryBytes: 20_000, streamHeartbeatMs: 200 },
  });
  const config = { ...changesTopicSettings(RETENTION_MS, 1), ...EAGER_CLEANER, ...settings };
  const { changes } = topicNames(service.topicPrefix);
  await withAdmin(service.brokers, (admin) => alterTopic(admin, changes, config));
}

/** Submits changes of a busy endorser, now and then one of an idle one, and one of a third only at the beginning. */
async function submitRound(): Promise<void> {
  round += 1;
  const statement = `Round ${round}.`;
  const busy = ['ann', 'bob', 'cyd', 'dee'].map((key) =>
    endorse('bakers-local-1', 'council', key, { statement }),
  );
  const idle = round % IDLE_EVERY === 0 ? [endorse('coast-gazette', 'mayor', 'ann', { statement })] : [];
  const once = round === 1 ? [endorse('nation-herald', 'mayor', 'ann')] : [];
  await service.submit([...once, ...busy, ...idle]);
}

/** The beginning and the end of each partition of the topic. */
async function readOffsets(): Promise<{ partition: number; low: number; high: number }[]> {
  const topic = topicNames(service.topicPrefix).changes;
  const offsets = await withAdmin(service.brokers, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
}

async function hasDeleted(): Promise<boolean> {
  return (await readOffsets()).some(({ low }) => low > 100);
}

/** Whether the topic has fewer records than offsets. */
async function hasCompacted(): Promise<boolean> {
  const topic = topicNames(service.topicPrefix).changes;
  const log = new TopicReader({ brokers: service.brokers, topic, clientId: 'test' });
  let missing = 0;
  try {
    const [node = 0] = await log.sources();
    for (const { partition, high } of await readOffsets()) {
      missing += high;
      for (let from = 0; from < high; ) {
        const limits = { maxWaitMs: 0, partitionMaxBytes: 1_000_000 };
        const [read] = await log.fetch(node, new Map([[partition, from]]), limits);
        missing -= read?.records.filter(({ offset }) => offset < high).length ?? 0;
        from = read?.nextOffset ?? from;
      }
    }
  } finally {
    await log.close();
  }
  return missing > 100;
}

const MAX_EVENTS = 1000;

/** Requests events with a cursor, and compares the answer with the cursor's age; at the edge both answers are right. */
async function tryCursor(cursor: string, gateway: number): Promise<'inside' | 'outside' | 'edge'> {
  const { time } = parseCursor(cursor);
  const newest = await service.latestSequence(gateway);
  const askedAt = Date.now();
  const { status, body } = await service.get(`/v1/events?limit=${MAX_EVENTS}&cursor=${cursor}`, { gateway });
  const answeredAt = Date.now();
  const inside = time >= answeredAt - RETENTION_MS + CLOCK_ERROR_MS;
  const outside = time < askedAt - RETENTION_MS - CLOCK_ERROR_MS;
  const what = `a cursor of ${askedAt - time} to ${answeredAt - time} ms: ${JSON.stringify(body.error)}`;
  if (inside) expect([status, what]).toEqual([200, what]);
  if (outside) expect([status, body.error?.code, what]).toEqual([410, 'cursor_expired', what]);
  if (status === 200) {
    let page = body;
    answers.push(connectionOfPage(sequenceOf(cursor), page));
    // A fast machine makes more than a page of changes in the window.
    while (page.data.length === MAX_EVENTS) {
      const after = page.next_cursor;
      page = (await service.get(`/v1/events?limit=${MAX_EVENTS}&cursor=${after}`, { gateway })).body;
      answers.push(connectionOfPage(sequenceOf(after), page));
    }
    expect(sequenceOf(page.next_cursor)).toBeGreaterThanOrEqual(newest);
  }
  return inside ? 'inside' : outside ? 'outside' : 'edge';
}

/** The answers, to compare with the change log at the end. */
let answers: Connection[] = [];

/** Tries cursors of all ages up to twice the window, until enough were inside and outside. */
async function tryCursors(known: () => string[], enough: number): Promise<void> {
  const count = { inside: 0, outside: 0, edge: 0 };
  for (let trial = 0; Math.min(count.inside, count.outside) < enough; trial += 1) {
    const from = Date.now() - Math.random() * 2 * RETENTION_MS;
    const ids = known();
    const cursor = ids.find((id) => parseCursor(id).time >= from) ?? ids.at(-1) ?? '';
    count[await tryCursor(cursor, trial % 2)] += 1;
  }
}

function createReader(gateway: number, filter: StreamFilter): StreamReader {
  const address = () => service.url('', gateway);
  return new StreamReader({
    name: `reader of ${gateway}`,
    address,
    key: service.key,
    filter,
    from: 'earliest',
  });
}

/** Submits rounds until it is stopped. */
function startLoad(): { stop(): Promise<void> } {
  let stopped = false;
  const load = (async () => {
    while (!stopped) await submitRound();
  })();
  return {
    async stop() {
      stopped = true;
      await load;
    },
  };
}

test.each([
  ['deletes', {}, hasDeleted],
  ['compacts', { 'retention.ms': String(60 * RETENTION_MS) }, hasCompacted],
])('while the broker %s: inside the window everything, outside of it 410', async (_, settings, isAtWork) => {
  round = 0;
  answers = [];
  await start(settings);
  const all = createReader(0, {});
  const readers = [all, createReader(1, { endorsers: ['coast-gazette', 'nation-herald'] })];
  for (const reader of readers) reader.start();

  const load = startLoad();
  const known = () => all.record.connections.flatMap(({ frames }) => frames.map(({ id }) => id));
  try {
    await until('a window of cursors', () => known().length > 50);
    await until('the broker at work', async () => {
      await tryCursors(known, 1);
      return isAtWork();
    });
    await tryCursors(known, TRIALS);
  } finally {
    await load.stop();
  }

  const { body } = await service.get('/v1/events');
  const end = sequenceOf(body.next_cursor);
  for (const reader of readers) {
    await until('the end of the stream', () => reader.position >= end);
    await reader.stop();
  }
  const checker = new StreamChecker(await loadChangeLog(service.databaseUrl));
  for (const reader of readers) {
    expect(reader.record.connections).toHaveLength(1);
    expect(checker.judge({ ...reader.record, upTo: end }).faults).toEqual([]);
  }
  for (const answer of answers) {
    const record = { name: `cursor ${answer.after}`, filter: {}, connections: [answer], upTo: null };
    expect(checker.judge(record).faults).toEqual([]);
  }
});
