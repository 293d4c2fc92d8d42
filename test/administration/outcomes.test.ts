import { expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import { loadOutcomes } from '../../administration/publishing/outcomes.ts';
import { appendChanges, lockStreamHead } from '../../store/stream/change-log.ts';
import { reconcileTopic, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { client } = useTestDatabase({ pipeline: true });
const TOPIC = 'submissions';

test('INV-8: a submission that is applied while its outcome is looked up is on its way, not without an effect', async () => {
  // The change has no election, so the trigger for its activity must not run.
  await client.query('SET session_replication_role = replica');
  await reconcileTopic(client, TOPIC, { topicId: 'topic', clusterId: 'cluster' });
  await resetConsumerOffset(client, TOPIC, 0, 4);
  let isApplied = false;
  const apply = async () => {
    isApplied = true;
    const place = { partition: 0, offset: 4, submittedAt: null, traceparent: null, sender: null };
    await client.query('BEGIN');
    const head = await lockStreamHead(client);
    await appendChanges(client, head, [{ type: 'created', body: CHANGE_BODY, submission: place }]);
    await resetConsumerOffset(client, TOPIC, 0, 5);
    await client.query('COMMIT');
  };
  /** Applies the submission after the first look at the progress or at the changes. */
  const query = async (given: string | { text: string }, values?: unknown[]) => {
    const answer = await client.query(given as string, values);
    const isLook = /consumer_offsets|change_log/.test(typeof given === 'string' ? given : given.text);
    if (isLook && !isApplied) await apply();
    return answer;
  };
  const marks = { id: 1, topicId: 'topic', afterSequence: 0, afterRejection: 0 };
  const publication = { ...marks, endorsers: ['acme'], contests: ['a/b'], partitions: [0], offsets: [4] };
  const looking = { query } as unknown as ClientBase;
  expect(await loadOutcomes(looking, TOPIC, publication)).toEqual([{ status: 'submitted' }]);
  expect(isApplied).toBe(true);
});
