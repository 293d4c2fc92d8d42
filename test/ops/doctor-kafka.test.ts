/** The doctor's checks of the newest events in Kafka. */
import { expect, test } from '@jest/globals';
import { topicNames } from '../../kafka/topic-names.ts';
import { checkKafka } from '../../ops/doctor/check-kafka.ts';
import { changeCodec } from '../../schemas/change.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { encodeChange } from '../helpers/stream/write-changes.ts';

const SECOND = 1000;

/** The findings about the newest events, which occurred so many milliseconds from now; null stands for noise. */
async function judge(...newest: (number | null)[]) {
  const { prefix: topicPrefix, brokers } = await createTestTopics();
  const producer = await startKafkajsClient(brokers, topicNames(topicPrefix).changes).open();
  const change = changeCodec.decode(encodeChange(1, 1));
  for (const [partition, ms] of newest.entries()) {
    const event = () => changeCodec.encode({ ...change, occurred_at: Date.now() + (ms ?? 0) });
    await producer.send([
      { key: Buffer.from('bakers'), partition, value: ms === null ? Buffer.from('noise') : event() },
    ]);
  }
  await producer.close();
  const config = { brokers, topicPrefix, retentionMs: 60_000, changesPartitions: 2 };
  const findings = await checkKafka(config, ['ops']);
  return findings
    .filter(({ subject }) => subject === 'schemas' || subject === 'clock')
    .map(({ status, text }) => [status, text]);
}

test('a topic without events can be read, and says nothing about clocks', async () => {
  expect(await judge()).toEqual([['ok', 'This version can read the newest records of 0 partitions.']]);
});

test('events that occur, by the database, long after Kafka has them mean a clock that is behind', async () => {
  expect(await judge(30 * SECOND, 0)).toEqual([
    ['ok', 'This version can read the newest records of 2 partitions.'],
    [
      'warning',
      expect.stringMatching(
        /^A broker's clock is at least (2\d|30)\.\d s behind the database's: repair the time services\.$/,
      ),
    ],
  ]);
});

test('events of long ago are fine, and every partition whose newest record cannot be read is named', async () => {
  expect(await judge(-3600 * SECOND, null)).toEqual([
    ['failed', expect.stringMatching(/newest records of the partitions 1: run a newer version/)],
    ['ok', "The brokers' clocks agree with the times of the newest events."],
  ]);
  expect((await judge(null, null))[0]).toEqual(['failed', expect.stringContaining('partitions 0, 1: ')]);
});
