/** The bounds of what is kept about published submissions. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type Author,
  beginPublication,
  findNews,
  findPublication,
  markBatch,
  savePublication,
} from '../../store/access/publications.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { addBatch } from '../../store/console/uploads.ts';
import { appendChanges, lockStreamHead } from '../../store/stream/change-log.ts';
import { keepReasons, loadReasons } from '../../store/stream/rejected-submissions.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { saveTable } from '../helpers/postgres/uploads.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { url, client } = useTestDatabase({ pipeline: true });
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const AUTHOR = { osUser: 'test', person: null };
let pool: DatabasePool;
let ours: number;
let theirs: number;

beforeAll(async () => {
  pool = await openReadPool(url, { statementTimeoutMs: 15_000 });
  ours = await ensureAccount(client, { name: 'ours', plan: 'free' }, AUTHOR);
  theirs = await ensureAccount(client, { name: 'theirs', plan: 'free' }, AUTHOR);
});
afterAll(() => pool?.end());
beforeEach(() => client.query('TRUNCATE publications, rejected_submissions'));

const ONE = { endorsers: ['acme'], contests: ['a/b'], partitions: [0], offsets: [1] };
const save = (accountId: number, author: Author = { key: 1 }, places = ONE) =>
  pool.transaction(async (transaction) => {
    const begun = await beginPublication(transaction);
    await savePublication(transaction, { accountId, author }, { topicId: 'topic', ...places, ...begun });
    return begun.id;
  });
const find = (accountId: number, id: number) => findPublication(pool, { accountId, id, keptMs: WEEK_MS });

test('an account keeps its newest 1,000 publications, and no other account loses any', async () => {
  const [own, foreign] = [await save(ours), await save(theirs)];
  await client.query(
    `INSERT INTO publications (account_id, topic_id, endorsers, contests, partitions, offsets, after_sequence,
       after_rejection)
     SELECT $1, 'topic', '{acme}', '{a/b}', '{0}', '{1}', 0, 0 FROM generate_series(1, 1004)`,
    [ours],
  );
  const newest = await save(ours);
  expect(await find(ours, own)).toBeNull();
  expect(await find(ours, newest)).not.toBeNull();
  expect(await find(theirs, foreign)).not.toBeNull();
  const { rows } = await client.query('SELECT FROM publications WHERE account_id = $1', [ours]);
  expect(rows).toHaveLength(1000);
});

test('an account loses no publication because of the many of another one', async () => {
  const own = [await save(ours), await save(ours)];
  await client.query(
    `INSERT INTO publications (account_id, topic_id, endorsers, contests, partitions, offsets, after_sequence,
       after_rejection)
     SELECT $1, 'topic', '{acme}', '{a/b}', '{0}', '{1}', 0, 0 FROM generate_series(1, 1004)`,
    [theirs],
  );
  await save(ours);
  for (const id of own) expect(await find(ours, id)).not.toBeNull();
});

test('a publication of a session names the person of that session, by a link or by the provider', async () => {
  const { rows: people } = await client.query(
    `INSERT INTO people (issuer, subject, email, name) VALUES ('i', 'a', 'ann@example.org', 'Ann'),
       ('i', 'b', 'bob@example.org', 'Bob') RETURNING id`,
  );
  const { rows: sessions } = await client.query(
    `INSERT INTO console_sessions (hash, account_id, person_id, link_person, link_role, expires_at)
     VALUES (sha256('1'), $1, $2, NULL, NULL, now()), (sha256('2'), $1, $3, NULL, NULL, now()),
       (sha256('3'), $1, NULL, 'cyd', 'editor', now()) RETURNING id`,
    [ours, people[0]?.id, people[1]?.id],
  );
  for (const { id } of sessions) await save(ours, { session: id });
  await save(ours);
  const { rows } = await client.query('SELECT person, key_id FROM publications ORDER BY id');
  expect(rows.map(({ person, key_id }) => [person, key_id])).toEqual([
    ['ann@example.org', null],
    ['bob@example.org', null],
    ['cyd', null],
    [null, 1],
  ]);
});

test('a publication belongs to its account', async () => {
  const id = await save(ours);
  expect(await find(theirs, id)).toBeNull();
  expect(await find(ours, id)).toMatchObject({ id, endorsers: ['acme'], offsets: [1] });
});

test('a publication is noted with the batch of its account that has its key, and with none of another account', async () => {
  for (const accountId of [ours, theirs]) {
    const upload = await saveTable(client, accountId);
    await addBatch(client, upload, { ordinal: 1, submissions: '[]', count: 1 });
  }
  await client.query(`UPDATE upload_batches SET idempotency_key = 'same'`);
  await pool.transaction((transaction) =>
    markBatch(transaction, { accountId: ours, key: 'same', publicationId: 7 }),
  );
  const { rows } = await client.query(
    'SELECT u.account_id, b.publication_id::int FROM upload_batches b JOIN uploads u ON u.id = b.upload_id ORDER BY u.id',
  );
  expect(rows).toEqual([
    { account_id: ours, publication_id: 7 },
    { account_id: theirs, publication_id: null },
  ]);
});

test('a position has news from its changes, and from submissions of the account that are on their way', async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  const news = (accountId = ours, { contest = 'a/b', since = 0, endorser = 'acme' } = {}) =>
    pool.transaction((transaction) => {
      const positions = ['a/z', contest].map((each) => ({ endorser, contest: each }));
      return findNews(transaction, { accountId, positions, since });
    });
  const applyUpTo = (offset: number) =>
    client.query(
      `INSERT INTO consumer_offsets (topic, partition, next_offset) VALUES ('submissions', 0, $1)
       ON CONFLICT (topic, partition) DO UPDATE SET next_offset = $1`,
      [offset],
    );
  await client.query(
    `INSERT INTO consumed_topics (topic, topic_id, cluster_id) VALUES ('submissions', 'topic', 'c')`,
  );
  // Another topic, and another partition of this one, are applied much further.
  await client.query(
    `INSERT INTO consumed_topics (topic, topic_id, cluster_id) VALUES ('other', 'other topic', 'c')`,
  );
  await client.query(
    `INSERT INTO consumer_offsets (topic, partition, next_offset) VALUES ('other', 0, 99), ('submissions', 1, 99)`,
  );
  await save(ours);
  const onItsWay = { isChanged: false, isOnItsWay: true };
  const none = { isChanged: false, isOnItsWay: false };
  expect(await news()).toEqual(onItsWay);
  expect([await news(theirs), await news(ours, { contest: 'a/c' })]).toEqual([none, none]);
  expect(await news(ours, { endorser: 'other' })).toEqual(none);
  await applyUpTo(1);
  expect(await news()).toEqual(onItsWay);
  await applyUpTo(2);
  expect(await news()).toEqual(none);
  // The topic was made anew, so the places of a publication before that mean nothing.
  await client.query(`UPDATE consumed_topics SET topic_id = 'anew' WHERE topic = 'submissions'`);
  await applyUpTo(0);
  expect(await news()).toEqual(none);

  const contest = 'or-2026-11-03-general/mayor';
  const { rows } = await client.query('SELECT id FROM contests WHERE key = $1', [contest]);
  const body = { ...CHANGE_BODY, endorser: { ...CHANGE_BODY.endorser, slug: 'acme' } };
  await client.query('BEGIN');
  const head = await lockStreamHead(client);
  await appendChanges(client, head, [
    { type: 'created', body: { ...body, contest: { ...body.contest, id: rows[0].id } } },
  ]);
  await client.query('COMMIT');
  expect((await news(ours, { contest, since: head.lastSequence })).isChanged).toBe(true);
  expect((await news(ours, { contest, since: head.lastSequence + 1 })).isChanged).toBe(false);
  const others = [{ contest, endorser: 'other' }, { contest: 'or-2026-11-03-general/council' }];
  for (const other of others) {
    expect((await news(ours, { ...other, since: head.lastSequence })).isChanged).toBe(false);
  }
});

test('places of a publication are read only if one of its partitions is not applied up to its last place', async () => {
  await client.query('TRUNCATE consumed_topics, consumer_offsets');
  await client.query(
    `INSERT INTO consumed_topics (topic, topic_id, cluster_id) VALUES ('submissions', 'topic', 'c')`,
  );
  await client.query(
    `INSERT INTO consumer_offsets (topic, partition, next_offset)
     VALUES ('submissions', 0, 100), ('submissions', 1, 20), ('submissions', 2, 5)`,
  );
  const isOnItsWay = async (contest: string) => {
    const positions = [{ endorser: 'acme', contest }];
    const asked = { accountId: ours, positions, since: 0 };
    return (await pool.transaction((transaction) => findNews(transaction, asked))).isOnItsWay;
  };
  const contests = ['a/b', 'a/c', 'a/d', 'a/e'];
  const endorsers = contests.map(() => 'acme');
  const id = await save(ours, undefined, {
    ...{ endorsers, contests, partitions: [0, 1, 1, 2] },
    offsets: [99, 20, 19, 4],
  });
  expect(await Promise.all(contests.map(isOnItsWay))).toEqual([false, true, false, false]);
  await client.query('UPDATE consumer_offsets SET next_offset = 21 WHERE partition = 1');
  // If these places were read, they would be on their way.
  await client.query(`UPDATE publications SET offsets = '{200,200,200,200}' WHERE id = $1`, [id]);
  expect(await Promise.all(contests.map(isOnItsWay))).toEqual([false, false, false, false]);
  // The previous version saves no last places.
  await client.query('UPDATE publications SET ends = NULL WHERE id = $1', [id]);
  expect(await Promise.all(contests.map(isOnItsWay))).toEqual([true, true, true, true]);
});

const reject = (partition: number, offset: number, lastOffset: number | null = null, message = 'No.') =>
  keepReasons(client, [{ partition, offset, lastOffset, code: 'unreadable', message }]);
const reasonsAt = async (...places: [number, number][]) => {
  const given = places.map(([partition, offset]) => ({ partition, offset }));
  return (await loadReasons(client, 0, given)).map(({ partition, offset }) => [partition, offset]);
};

test('the reason of an unreadable batch is that of each of its offsets, in its partition alone', async () => {
  await reject(1, 5, 7);
  await reject(1, 9);
  expect(await reasonsAt([1, 4], [1, 5], [1, 7], [1, 8], [1, 9], [0, 5])).toEqual([
    [1, 5],
    [1, 7],
    [1, 9],
  ]);
});

test('a reason before a publication is of an earlier topic', async () => {
  await reject(0, 1);
  const { rows } = await client.query('SELECT max(id)::float8 AS id FROM rejected_submissions');
  expect(await loadReasons(client, rows[0].id, [{ partition: 0, offset: 1 }])).toEqual([]);
});

test('a reason is cut, and a character that Postgres cannot store replaced', async () => {
  await reject(0, 1, null, `a\0${'b'.repeat(5000)}`);
  const [reason] = await loadReasons(client, 0, [{ partition: 0, offset: 1 }]);
  expect(reason?.message.slice(0, 3)).toBe('a\ufffdb');
  expect(reason?.message).toHaveLength(1001);
});

test('reasons older than eight days are deleted, the others stay', async () => {
  await reject(0, 1);
  await reject(0, 2);
  await client.query(
    "UPDATE rejected_submissions SET rejected_at = now() - interval '9 days' WHERE last_offset = 1",
  );
  await reject(0, 3);
  expect(await reasonsAt([0, 1], [0, 2], [0, 3])).toEqual([
    [0, 2],
    [0, 3],
  ]);
});

test('INV-15: storing reasons forgets more old ones than it adds, so that their number falls', async () => {
  await client.query('TRUNCATE rejected_submissions');
  await client.query(
    `INSERT INTO rejected_submissions (partition, first_offset, last_offset, code, message, rejected_at)
     SELECT 0, n, n, 'unreadable', 'No.', now() - interval '9 days' FROM generate_series(1, 1000) AS n`,
  );
  const rejected = { partition: 0, lastOffset: null, code: 'unreadable', message: 'No.' };
  await keepReasons(
    client,
    Array.from({ length: 300 }, (_, offset) => ({ ...rejected, offset })),
  );
  const { rows } = await client.query('SELECT count(*)::int AS count FROM rejected_submissions');
  expect(rows).toEqual([{ count: 1000 + 300 - 700 }]);
});

test('a million reasons are kept: the oldest beyond are deleted', async () => {
  await reject(0, 1);
  await client.query(
    "SELECT setval(pg_get_serial_sequence('rejected_submissions', 'id'), currval(pg_get_serial_sequence('rejected_submissions', 'id')) + 999999)",
  );
  await reject(0, 2);
  expect(await reasonsAt([0, 1], [0, 2])).toEqual([[0, 2]]);
});
