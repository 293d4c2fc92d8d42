import { expect, test } from '@jest/globals';
import { appendChanges, lockStreamHead } from '../../store/stream/change-log.ts';
import { listPositionChanges } from '../../store/stream/position-history.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { client } = useTestDatabase({ pipeline: true });

test('a change is of a publication if its submission has the partition and the offset of one of its submissions', async () => {
  // The changes have no elections, so the trigger for their activity must not run.
  await client.query('SET session_replication_role = replica');
  const accountId = await createAccount(client);
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO publications (account_id, topic_id, endorsers, contests, partitions, offsets, after_sequence,
       after_rejection)
     VALUES ($1, 'topic', '{acme,acme}', '{a/b,a/c}', '{0,1}', '{4,7}', 0, 0) RETURNING id`,
    [accountId],
  );
  const origin = { submittedAt: null, traceparent: null, sender: `publication ${rows[0]?.id}` };
  const changeAt = (partition: number, offset: number) => ({
    type: 'created' as const,
    body: CHANGE_BODY,
    submission: { partition, offset, ...origin },
  });
  await client.query('BEGIN');
  const places = [changeAt(0, 4), changeAt(0, 7), changeAt(1, 4), changeAt(1, 7)];
  await appendChanges(client, await lockStreamHead(client), places);
  await client.query('COMMIT');
  const { slug: endorser } = CHANGE_BODY.endorser;
  const subject = { endorser, contestId: CHANGE_BODY.contest.id };
  const listed = await listPositionChanges(client, subject, { before: null, limit: 10 });
  const authors = listed.map(({ place, publishedBy }) => [place?.partition, place?.offset, publishedBy?.id]);
  expect(authors).toEqual([
    [1, 7, accountId],
    [1, 4, undefined],
    [0, 7, undefined],
    [0, 4, accountId],
  ]);
});
