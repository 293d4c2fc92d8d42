import { afterEach, expect, jest, test } from '@jest/globals';
import { UnreadableBatches } from '../../feed/unreadable-batches.ts';
import type { FetchedRecord } from '../../kafka/protocol/record-batches.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { changeCodec } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { useTestService } from '../helpers/service/service.ts';

const { log, lines } = captureLog('error');
// Little memory, so that replays read from Kafka.
const service = useTestService({ log, gatewayConfig: { feedMemoryBytes: 2000 } });

afterEach(() => {
  jest.restoreAllMocks();
});

const DAMAGED = 2;
let damaged = 0;

function isDamaged({ value }: FetchedRecord): boolean {
  try {
    return changeCodec.decode(value).sequence === DAMAGED;
  } catch {
    return false;
  }
}

/** Makes every fetch of one change find its batch unreadable, as a flipped bit on a disk would. */
function damageBatch(): void {
  const fetch = TopicReader.prototype.fetch;
  jest.spyOn(TopicReader.prototype, 'fetch').mockImplementation(async function (this: TopicReader, ...args) {
    const reads = await fetch.apply(this, args);
    return reads.map((read) => {
      const lost = read.records.find(isDamaged);
      if (!lost) return read;
      damaged += 1;
      const { offset } = lost;
      const reason = 'its checksum is wrong';
      const place = { firstOffset: offset, lastOffset: offset, newestAt: 0 };
      const batch = { ...place, bytes: Buffer.alloc(0), reason };
      return { ...read, records: read.records.filter((each) => each !== lost), unreadable: [batch] };
    });
  });
}

test('INV-7: an unreadable batch is logged and counted once, and its changes come from the change log', async () => {
  damageBatch();
  const before = await metricValue('feed_unreadable_batches_total');
  for (const statement of ['One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.']) {
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);
  }
  const events = await service.eventsOnceThereAre(6);
  // Read again by replays, whose chunks are not kept across gateways.
  await service.events();
  const sequences = events.map(({ id }) => parseCursor(id).sequence);
  expect(sequences).toEqual([1, 2, 3, 4, 5, 6]);

  // The fault happened, and more than once.
  expect(damaged).toBeGreaterThan(1);
  expect(await metricValue('feed_unreadable_batches_total')).toBe(before + 1);
  const reports = lines.filter(({ msg }) => msg.startsWith('a batch of the changes topic cannot be read'));
  expect(reports).toEqual([
    expect.objectContaining({
      level: 'error',
      topic: `${service.topicPrefix}endorsement-changes`,
      partition: expect.any(Number),
      firstOffset: expect.any(Number),
      lastOffset: expect.any(Number),
      reason: 'its checksum is wrong',
    }),
  ]);
});

test('unreadable batches at the same offset of two partitions are both reported, each once', () => {
  const captured = captureLog('error');
  const unreadable = new UnreadableBatches('changes', captured.log);
  const batch = {
    firstOffset: 7,
    lastOffset: 9,
    newestAt: 0,
    bytes: Buffer.alloc(0),
    reason: 'a flipped bit',
  };
  for (const partition of [0, 1, 0]) unreadable.report({ partition, unreadable: [batch] });
  expect(captured.lines.map(({ partition }) => partition)).toEqual([0, 1]);
});
