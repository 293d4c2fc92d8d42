import { beforeEach, expect, test } from '@jest/globals';
import { appendChanges, lockStreamHead } from '../../store/stream/change-log.ts';
import {
  findHistorySubject,
  findOldestChange,
  listPositionChanges,
} from '../../store/stream/position-history.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { client } = useTestDatabase({ pipeline: true });

// The changes have no elections, so the trigger for their activity must not run.
beforeEach(() => client.query('SET session_replication_role = replica'));

/** Records a creation of a position in a contest by an endorser. */
async function record(endorser: string, contest: number): Promise<void> {
  const body = {
    ...CHANGE_BODY,
    endorser: { ...CHANGE_BODY.endorser, slug: endorser },
    contest: { ...CHANGE_BODY.contest, id: contest },
  };
  await client.query('BEGIN');
  await appendChanges(client, await lockStreamHead(client), [{ type: 'created', body }]);
  await client.query('COMMIT');
}

test('a change is of a publication if its submission has the partition and the offset of one of its submissions', async () => {
  const accountId = await createAccount(client);
  await createAccount(client);
  const { rows: keys } = await client.query<{ id: number }>(
    `INSERT INTO api_keys (account_id, name, hash, scopes)
     SELECT $1, name, sha256(name::bytea), '{data:read}' FROM unnest('{first,second}'::text[]) AS name RETURNING id`,
    [accountId],
  );
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO publications (account_id, key_id, topic_id, endorsers, contests, partitions, offsets,
       after_sequence, after_rejection)
     VALUES ($1, $2, 'topic', '{acme,acme}', '{a/b,a/c}', '{0,1}', '{4,7}', 0, 0) RETURNING id`,
    [accountId, keys[1]?.id],
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
  const { rows: names } = await client.query('SELECT name FROM accounts WHERE id = $1', [accountId]);
  expect(listed[0]?.publishedBy).toEqual({ id: accountId, ...names[0], key: 'second', person: null });
});

test('a history has the changes of one endorser in one contest, the newest first, a page at a time', async () => {
  expect(await findOldestChange(client)).toEqual(expect.any(Date));
  const ours = { endorser: 'ours', contestId: 7 };
  for (let round = 0; round < 4; round += 1) {
    await record('ours', 7);
    await record('ours', 8);
    await record('theirs', 7);
  }
  const list = async (before: number | null, limit: number) => {
    const entries = await listPositionChanges(client, ours, { before, limit });
    for (const { body } of entries) {
      expect([body.endorser.slug, body.contest.id]).toEqual(['ours', 7]);
    }
    return entries.map(({ sequence }) => sequence);
  };
  const all = await list(null, 10);
  expect(all).toHaveLength(4);
  expect(all).toEqual([...all].sort((a, b) => b - a));
  const [newest = 0, second = 0, third = 0, oldest = 0] = all;
  expect(await list(null, 2)).toEqual([newest, second]);
  expect(await list(second, 2)).toEqual([third, oldest]);
  expect(await list(oldest, 2)).toEqual([]);

  /** Which of them have an event with an id, which wait for Kafka, and which are of an earlier epoch. */
  const events = async () =>
    (await listPositionChanges(client, ours, { before: null, limit: 10 })).map(({ eventId, isWaiting }) =>
      eventId === null ? (isWaiting ? 'waits' : 'expired') : 'sent',
    );
  await client.query(
    `INSERT INTO relay_batches (first_sequence, last_sequence, offsets) VALUES (1, $1, '{5}')`,
    [second],
  );
  expect(await events()).toEqual(['waits', 'waits', 'waits', 'waits']);
  await client.query('UPDATE relay_batches SET acknowledged_at = now()');
  expect(await events()).toEqual(['waits', 'sent', 'sent', 'sent']);
  await client.query('UPDATE stream_head SET epoch_after = $1', [third]);
  expect(await events()).toEqual(['waits', 'sent', 'expired', 'expired']);
});

test('the oldest change is the one at the earliest time', async () => {
  await client.query('DELETE FROM change_log');
  expect(await findOldestChange(client)).toBeNull();
  for (let change = 0; change < 3; change += 1) await record('ours', 7);
  const { rows } = await client.query<{ at: Date }>('SELECT min(occurred_at) AS at FROM change_log');
  expect(await findOldestChange(client)).toEqual(rows[0]?.at);
});

test('a history is of the endorser and the contest that are named', async () => {
  // Foreign keys are not checked either.
  await client.query(`
    INSERT INTO elections (id, slug, name, date, state, type) OVERRIDING SYSTEM VALUE VALUES
      (1, 'or-1', 'First', '2026-11-03', 'OR', 'general'), (2, 'or-2', 'Second', '2026-12-01', 'OR', 'general')`);
  await client.query(`
    INSERT INTO endorsers (slug, name, category, state) VALUES
      ('acme', 'Acme', 'labor', 'OR'), ('other', 'Other', 'labor', 'OR')`);
  await client.query(`
    INSERT INTO contests (id, key, election_id, district_id, title, short_title, kind, vote_method, ballot_order,
      tier, election_date, election_slug)
    OVERRIDING SYSTEM VALUE VALUES
      (7, 'or-1/mayor', 1, 1, 'Mayor', 'Mayor', 'candidate', 'plurality', 1, 2, '2026-11-03', 'or-1'),
      (8, 'or-2/judge', 2, 1, 'Judge', 'Judge', 'candidate', 'plurality', 1, 2, '2026-12-01', 'or-2')`);
  const acme = { slug: 'acme', name: 'Acme' };
  const mayor = { id: 7, title: 'Mayor', election: 'First', date: '2026-11-03' };
  const judge = { id: 8, title: 'Judge', election: 'Second', date: '2026-12-01' };
  const find = (endorser: string, contest: { id: number } | { key: string }) =>
    findHistorySubject(client, { endorser, contest });
  expect(await find('acme', { id: 7 })).toEqual({ endorser: acme, contest: mayor });
  expect(await find('acme', { key: 'or-2/judge' })).toEqual({ endorser: acme, contest: judge });
  expect(await find('other', { id: 8 })).toEqual({
    endorser: { slug: 'other', name: 'Other' },
    contest: judge,
  });
  expect(await find('nobody', { id: 7 })).toBeNull();
  expect(await find('acme', { id: 9 })).toBeNull();
  expect(await find('acme', { key: 'or-1/judge' })).toBeNull();
});
