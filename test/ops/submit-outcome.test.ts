/** The outcome of submissions while the consumers send rejections to their topic. */
import { beforeAll, expect, test } from '@jest/globals';
import { identifyTopic } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import { createConfig } from '../../ops/config.ts';
import { followSubmissions, prepareToFollow } from '../../ops/submit/follow.ts';
import { SentOffsets } from '../../ops/submit/sent-offsets.ts';
import { rejectionCodec, submissionCodec } from '../../schemas/submission.ts';
import { reconcileTopic, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import {
  addPendingRejections,
  deletePendingRejections,
  loadPendingRejections,
} from '../../store/stream/pending-rejections.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { useClient, useTestDatabase } from '../helpers/postgres/database.ts';
import { isWaiting } from '../helpers/postgres/overlap.ts';
import { until } from '../helpers/until.ts';

const { client, url } = useTestDatabase();
const sender = useClient(url);

// The changes have no election, so the trigger for its activity must not run.
beforeAll(() => client.query('SET session_replication_role = replica'));

/** Appends changes of the submissions at these places. */
async function change(...places: readonly [partition: number, offset: number][]): Promise<void> {
  await client.query(`SELECT ensure_change_log_partition((now() AT TIME ZONE 'UTC')::date)`);
  await client.query(
    `WITH made AS (
       INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body, submission_partition, submission_offset)
       SELECT last_sequence + n, now(), 'created', 'acme', 1, '{"election": {"id": 1}}', place.partition, place.at
       FROM stream_head, unnest($1::int[], $2::int[]) WITH ORDINALITY AS place (partition, at, n))
     UPDATE stream_head SET last_sequence = last_sequence + cardinality($1::int[])`,
    [places.map(([partition]) => partition), places.map(([, offset]) => offset)],
  );
}

/** A topic of submissions that the consumers have applied up to an offset, and what a wait needs. */
async function begin(applied: number) {
  const { prefix, brokers } = await createTestTopics();
  const { submissions: topic, rejected } = topicNames(prefix);
  const config = createConfig({
    DATABASE_URL: url,
    KAFKA_BROKERS: brokers.addresses.join(','),
    TOPIC_PREFIX: prefix,
  });
  const start = await prepareToFollow(config);
  await reconcileTopic(client, topic, await identifyTopic({ brokers, topic, clientId: 'test' }));
  await resetConsumerOffset(client, topic, 0, applied);
  const sent = new SentOffsets();
  // Another program has sent the first one.
  sent.add([1, 2, 3, 4, 5].map((offset) => ({ partition: 0, offset })));
  const encode = (offset: number, { lastOffset = null as number | null, of = topic } = {}) =>
    rejectionCodec.encode({
      ...{ code: 'unknown_endorser', message: 'No.', topic: of, partition: 0, offset },
      ...{ last_offset: lastOffset, rejected_at: Date.now(), truncated: null },
      value: submissionCodec.encode(endorse('nobody', 'mayor', 'ann')),
    });
  const options = { start, sent, onProgress: () => {}, onStall: () => {} };
  return { config, brokers, topic, rejected, encode, options };
}

const key = Buffer.from('nobody');

test('a rejection that the consumers send to its topic meanwhile counts once', async () => {
  const { config, brokers, rejected, encode, options } = await begin(6);
  const rejection = encode(1);
  await addPendingRejections(client, [{ key, value: rejection }]);

  // The table is locked until its rejection is in the topic.
  await sender.query('BEGIN');
  await sender.query('LOCK TABLE pending_rejections IN ACCESS EXCLUSIVE MODE');
  const following = followSubmissions(config, { ...options, signal: new AbortController().signal });
  await until('the command to look for waiting rejections', () => isWaiting(client));
  const producer = await openProducer(brokers, rejected);
  await producer.send([{ key: 'nobody', value: rejection }]);
  await producer.close();
  const waiting = await loadPendingRejections(sender, { records: 10, bytes: 1000 });
  await deletePendingRejections(
    sender,
    waiting.map(({ id }) => id),
  );
  await sender.query('COMMIT');
  const { rejections, ...outcome } = await following;
  expect(outcome).toEqual({ applied: 5, changed: 0, rejected: 1 });
  expect(rejections.first).toMatchObject([{ offset: 1 }]);
});

test('each submission counts that made changes or was rejected; those of others or before, and those after the wait, do not', async () => {
  await change([0, 2]);
  const { config, topic, encode, options } = await begin(4);
  options.sent.add([{ partition: 1, offset: 1 }]);
  await resetConsumerOffset(client, topic, 1, 2);
  await change([0, 1], [0, 1], [0, 4], [1, 1], [1, 2], [2, 2]);
  const values = [encode(0), encode(1, { lastOffset: 2 }), encode(3, { of: 'another' }), encode(4)];
  await addPendingRejections(
    client,
    values.map((value) => ({ key, value })),
  );
  const { rejections, ...outcome } = await followSubmissions(config, {
    ...options,
    signal: AbortSignal.abort(),
  });
  expect(outcome).toEqual({ applied: 4, changed: 2, rejected: 2 });
  expect(rejections.count).toBe(1);
});

test('if Postgres fails meanwhile, the message says that the submissions are sent', async () => {
  const { config, options } = await begin(0);
  const away = { ...config, databaseUrl: 'postgres://127.0.0.1:1/away' };
  await expect(followSubmissions(away, { ...options, signal: AbortSignal.abort() })).rejects.toThrow(
    /^5 submissions were sent, but Postgres failed before their outcome was known \(.*"npm run ops -- lag"/,
  );
});
