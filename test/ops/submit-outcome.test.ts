/** The outcome of submissions while the consumers send rejections to their topic. */
import { expect, test } from '@jest/globals';
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

test('a rejection that the consumers send to its topic meanwhile counts once', async () => {
  const { prefix, brokers } = await createTestTopics();
  const { submissions, rejected } = topicNames(prefix);
  const config = createConfig({
    DATABASE_URL: url,
    KAFKA_BROKERS: brokers.addresses.join(','),
    TOPIC_PREFIX: prefix,
  });
  const start = await prepareToFollow(config);
  await reconcileTopic(
    client,
    submissions,
    await identifyTopic({ brokers, topic: submissions, clientId: 'test' }),
  );
  await resetConsumerOffset(client, submissions, 0, 1);
  const rejection = rejectionCodec.encode({
    ...{ code: 'unknown_endorser', message: 'No.', topic: submissions, partition: 0, offset: 0 },
    ...{ last_offset: null, rejected_at: Date.now(), truncated: null },
    value: submissionCodec.encode(endorse('nobody', 'mayor', 'ann')),
  });
  await addPendingRejections(client, [{ key: Buffer.from('nobody'), value: rejection }]);

  // The table is locked until its rejection is in the topic.
  await sender.query('BEGIN');
  await sender.query('LOCK TABLE pending_rejections IN ACCESS EXCLUSIVE MODE');
  const sent = new SentOffsets();
  sent.add([{ partition: 0, offset: 0 }]);
  const following = followSubmissions(config, {
    ...{ start, sent, signal: new AbortController().signal },
    onProgress: () => {},
    onStall: () => {},
  });
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
  expect(outcome).toEqual({ applied: 1, changed: 0, rejected: 1 });
  expect(rejections.first).toMatchObject([{ offset: 0 }]);
});
