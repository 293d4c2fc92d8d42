/*
 * A changes topic that has lost the records of one partition has holes everywhere: every third change or so is missing.
 */
import { expect, test } from '@jest/globals';
import { filledChanges } from '../../feed/metrics.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useTestService } from '../helpers/service/service.ts';

const CHANGES = 240;
/** There are dozens of holes, and finding each separately would take seconds. */
const READY_MS = 15_000;

const service = useTestService({ partitions: 3 });

test('INV-7: a gateway that starts with many holes fills them together, and is soon ready', async () => {
  const endorsers = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
  await service.submit(
    Array.from({ length: CHANGES }, (_, index) =>
      endorse(endorsers[index % 3] ?? '', 'mayor', 'ann', { statement: `Statement ${index}.` }),
    ),
  );
  const before = await service.eventsOnceThereAre(CHANGES, READY_MS);
  const topic = topicNames(service.topicPrefix).changes;
  const lost = await withAdmin(service.brokers, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const [shortest] = ends
      .filter(({ high }) => high !== '0')
      .sort((a, b) => Number(a.high) - Number(b.high));
    if (!shortest) throw new Error('The topic is empty.');
    const { partition, high } = shortest;
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: high }] });
    return Number(high);
  });
  expect(lost).toBeGreaterThan(20);

  const filledBefore = (await filledChanges.get()).values[0]?.value ?? 0;
  const started = performance.now();
  await service.restartGateway(0);
  await service.untilReady();
  expect(performance.now() - started).toBeLessThan(READY_MS);
  expect(((await filledChanges.get()).values[0]?.value ?? 0) - filledBefore).toBe(lost);
  expect(await service.eventsOnceThereAre(CHANGES)).toEqual(before);
});
