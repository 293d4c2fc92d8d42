import { expect, test } from '@jest/globals';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { type CatalogueLine, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useTestService } from '../helpers/service/service.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { connectionOfPage, StreamChecker } from '../helpers/stream/stream-checker.ts';
import { StreamReader } from '../helpers/stream/stream-reader.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** Enough endorsers for every partition to have some. */
const BAKERS = Array.from({ length: 60 }, (_, index) => `bakers-${index + 1}`);
const CATALOGUE = [
  ...SMALL_BALLOT,
  ...BAKERS.map((slug): CatalogueLine => ['endorsers', endorser({ slug, name: slug })]),
];

let round = 0;

// Little memory, so that changes after old cursors are read from Kafka.
const service = useTestService({
  catalogue: CATALOGUE,
  gateways: 2,
  partitions: 12,
  gatewayConfig: { feedMemoryBytes: 20_000 },
});

/** Submits one change of each endorser. */
async function submitRound(): Promise<void> {
  round += 1;
  await service.submit(BAKERS.map((by) => endorse(by, 'mayor', 'ann', { statement: `Round ${round}.` })));
}

test('INV-4: when partitions grow from 12 to 24 under load, old cursors stay valid and the order stays the same', async () => {
  const { brokers, topicPrefix } = service;
  await submitRound();
  await submitRound();
  const before = await service.eventsOnceThereAre(2 * BAKERS.length);
  const readers = [0, 1].map((gateway) => {
    const address = () => service.url('', gateway);
    return new StreamReader({ name: `reader of ${gateway}`, address, key: service.key, from: before[30].id });
  });
  for (const reader of readers) reader.start();

  let loading = true;
  const load = (async () => {
    while (loading) await submitRound();
  })();
  await until('load on 12 partitions', () => round > 4);
  const done = await applyTopics({ brokers, topicPrefix, retentionMs: WEEK_MS, changesPartitions: 24 });
  expect(done.join()).toContain('from 12 to 24 partitions');
  // A relay notices new partitions within half a minute, or when it starts.
  await service.stopConsumers();
  await service.startConsumers();
  const grownAt = round;
  await until('load on 24 partitions', () => round > grownAt + 3);
  loading = false;
  await load;

  const count = round * BAKERS.length;
  for (const gateway of [0, 1]) {
    await until('all changes', async () => (await service.latestSequence(gateway)) === count);
  }
  const log = await loadChangeLog(service.databaseUrl);
  const checker = new StreamChecker(log);
  const judge = (record: Pick<StreamReader['record'], 'name' | 'connections'>) =>
    checker.judge({ filter: {}, upTo: count, ...record }).faults;
  for (const sequence of [1, 60, 120]) {
    for (const gateway of [0, 1]) {
      const cursor = before[sequence - 1].id;
      const { data, cursor: next_cursor } = await service.events(`cursor=${cursor}`, gateway);
      const connections = [connectionOfPage(sequence, { data, next_cursor })];
      expect(judge({ name: `cursor ${sequence}`, connections })).toEqual([]);
    }
  }
  for (const reader of readers) {
    await until('the end of the stream', () => reader.position === count);
    await reader.stop();
    expect(judge(reader.record)).toEqual([]);
  }
  expect(parseCursor(log.events.at(-1)?.id ?? '').offsets).toHaveLength(24);
  const ends = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topicNames(topicPrefix).changes));
  expect(ends.filter(({ partition, high }) => partition >= 12 && Number(high) > 0).length).toBeGreaterThan(6);
});
