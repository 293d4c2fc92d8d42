/** The gateways' questions to the database about keys, subscriptions, publications and webhooks of an account. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashApiKey } from '../../schemas/api-key.ts';
import { findKey, findKeyStates } from '../../store/access/api-keys.ts';
import { findBallotKeys } from '../../store/access/ballot-ids.ts';
import {
  beginPublication,
  findPublication,
  holdRights,
  savePublication,
} from '../../store/access/publications.ts';
import {
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  loadSubscriptionFilters,
  NameTakenError,
  RecordChangedError,
  replaceSubscription,
  resolveSubscription,
  SubscriptionInUseError,
  TooManySubscriptionsError,
} from '../../store/access/subscriptions.ts';
import {
  createWebhook,
  deleteWebhook,
  findAttempt,
  findWebhook,
  findWebhookCursor,
  listWebhooks,
  type NewWebhook,
  replaceWebhook,
  requestTest,
  resumeWebhook,
  rotateSecret,
  SubscriptionGoneError,
  TooManyWebhooksError,
} from '../../store/access/webhooks.ts';
import { issueKeyOf, revokeKey } from '../../store/accounts/issued-keys.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { disableWebhook, listAllWebhooks, listAttempts, retryWebhook } from '../../store/webhooks/control.ts';
import { type DueNotice, listDueNotices, noteTold } from '../../store/webhooks/notices.ts';
import { CALIFORNIA, loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const { client, url } = useTestDatabase();
const ACTOR = { osUser: 'ada', person: null };
const NOW = new Date('2026-11-03T12:00:00.000Z');
const LATER = new Date('2026-11-03T12:00:01.500Z');
let pool: DatabasePool;
let ours: number;
let theirs: number;

beforeAll(async () => {
  pool = await openReadPool(url, { maxConnections: 2 });
  await loadCatalogue(url, SMALL_BALLOT);
});
afterAll(() => pool.end());
beforeEach(async () => {
  [ours, theirs] = [await createAccount(client, 'standard'), await createAccount(client, 'free')];
});

describe('a key', () => {
  test('is found by its text, with the limits of its account and everything that can end its use', async () => {
    const expiresAt = new Date('2030-01-01T00:00:00.250Z');
    const grant = { scopes: ['data:read', 'stream:read'] as const, expiresAt };
    const issued = await issueKeyOf(client, { id: ours, name: 'x' }, grant, ACTOR);
    const [id, text] = [issued?.id ?? 0, issued?.key ?? ''];
    const other = await issueKeyOf(
      client,
      { id: theirs, name: 'y' },
      { scopes: ['data:read'], expiresAt: null },
      ACTOR,
    );
    const find = () => findKey(pool, hashApiKey(text));
    expect(await find()).toMatchObject({
      ...{ id, accountId: ours, plan: 'standard', scopes: ['data:read', 'stream:read'] },
      ...{ expiresAt: expiresAt.getTime(), revoked: false, suspended: false },
      ...{ requestsPerMinute: 600, requestsPerDay: null, maxStreams: 5 },
    });
    expect(await findKey(pool, hashApiKey(`${text}x`))).toBeNull();
    await client.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [theirs]);
    await revokeKey(client, id, ACTOR);
    expect(await find()).toMatchObject({ revoked: true, suspended: false });
    expect(await findKeyStates(pool, [id, other?.id ?? 0, 999_999])).toEqual(
      new Map([
        [id, { id, expiresAt: expiresAt.getTime(), revoked: true, suspended: false }],
        [other?.id, { id: other?.id, expiresAt: null, revoked: false, suspended: true }],
      ]),
    );
  });
});

test('the keys of contests and choices are found by their ids, if they are on a ballot', async () => {
  const { rows } = await client.query(
    `SELECT c.id AS contest, h.id AS choice FROM contests c JOIN choices h ON h.contest_id = c.id
     WHERE c.key ~ '/(mayor|prop-1)$' AND h.key IN ('ann', 'bob', 'yes') ORDER BY h.key`,
  );
  const [ann, bob, yes] = rows;
  const ask = () =>
    findBallotKeys(pool, {
      contests: [ann.contest, yes.contest, 999_999],
      choices: [ann.choice, bob.choice, yes.choice, 999_999],
    });
  const mayor = 'or-2026-11-03-general/mayor';
  expect(await ask()).toEqual({
    contests: new Map([
      [ann.contest, mayor],
      [yes.contest, `${CALIFORNIA}/prop-1`],
    ]),
    choices: new Map([
      [ann.choice, { key: 'ann', contest: mayor }],
      [bob.choice, { key: 'bob', contest: mayor }],
      [yes.choice, { key: 'yes', contest: `${CALIFORNIA}/prop-1` }],
    ]),
  });
  await client.query('UPDATE contests SET removed_at = now() WHERE id = $1', [yes.contest]);
  await client.query('UPDATE choices SET removed_at = now() WHERE id = ANY($1)', [[bob.choice, yes.choice]]);
  const left = await ask();
  expect([[...left.contests.keys()], [...left.choices.keys()]]).toEqual([[ann.contest], [ann.choice]]);
  await client.query('UPDATE contests SET removed_at = NULL');
  await client.query('UPDATE choices SET removed_at = NULL');
});

describe('a publication', () => {
  test('needs the rights of its account for its endorsers, which stay until it is sent', async () => {
    await client.query(
      `INSERT INTO account_endorsers (account_id, endorser_id)
       SELECT CASE slug WHEN 'nation-herald' THEN $2 ELSE $1 END::int, id FROM endorsers`,
      [ours, theirs],
    );
    const slugs = ['coast-gazette', 'nation-herald', 'COAST-GAZETTE', 'nobody'];
    await pool.transaction(async (transaction) => {
      expect(await holdRights(transaction, ours, slugs)).toEqual(new Set(['coast-gazette']));
      expect(await holdRights(transaction, theirs, slugs)).toEqual(new Set(['nation-herald']));
      await client.query('SET lock_timeout = 100');
      const takeBack = client.query('DELETE FROM account_endorsers WHERE account_id = $1', [ours]);
      await expect(takeBack).rejects.toThrow('lock timeout');
      await client.query('RESET lock_timeout');
    });
  });

  test('is found as long as publications are kept', async () => {
    const id = await pool.transaction(async (transaction) => {
      const marks = await beginPublication(transaction);
      const places = { endorsers: ['a', 'b'], contests: ['c', 'd'], partitions: [0, 1], offsets: [7, 9] };
      await savePublication(
        transaction,
        { accountId: ours, author: { key: 1 } },
        { topicId: 't', ...places, ...marks },
      );
      return marks.id;
    });
    const find = (keptMs: number) => findPublication(pool, { accountId: ours, id, keptMs });
    expect(await find(60_000)).toMatchObject({
      id,
      partitions: [0, 1],
      offsets: [7, 9],
      contests: ['c', 'd'],
    });
    await client.query(`UPDATE publications SET created_at = now() - interval '1 minute' WHERE id = $1`, [
      id,
    ]);
    expect([await find(59_000), (await find(120_000))?.id]).toEqual([null, id]);
  });
});

describe('a subscription', () => {
  const make = async (name: string, { accountId = ours, limit = 3, filter = {} } = {}) =>
    createSubscription(pool, { accountId, name, filter, limit, now: NOW, idempotency: null });
  const replace = (id: number, values: object = {}) =>
    replaceSubscription(pool, { ...{ accountId: ours, id, name: 'b', filter: {}, now: LATER }, ...values });
  const parse = (text: string | null) => (text === null ? null : JSON.parse(text));

  test('belongs to its account, which has so many of different names', async () => {
    const first = await make('a', { filter: { states: ['OR'] } });
    const { id } = first;
    expect(parse(first.record)).toEqual({
      ...{ id, name: 'a', filter: { states: ['OR'] } },
      ...{ created_at: '2026-11-03T12:00:00.000Z', updated_at: '2026-11-03T12:00:00.000Z' },
    });
    await expect(make('a')).rejects.toThrow(NameTakenError);
    const foreign = await make('a', { accountId: theirs });
    const second = await make('c');
    await make('b');
    await expect(make('d')).rejects.toThrow(TooManySubscriptionsError);
    // It stays the second one, although its row moves in the table.
    await replace(second.id, { name: 'e' });
    const listed = JSON.parse(`[${await listSubscriptions(pool, ours)}]`) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(['a', 'e', 'b']);
    expect([
      await findSubscription(pool, ours, foreign.id),
      await findSubscription(pool, theirs, id),
    ]).toEqual([...[null, null]]);
    expect(await resolveSubscription(pool, theirs, String(id))).toBeNull();
    for (const text of ['a', ' a ', String(id), `0${id}`])
      expect(await resolveSubscription(pool, ours, text)).toEqual({
        id,
        name: 'a',
        filter: { states: ['OR'] },
      });
    expect(await loadSubscriptionFilters(pool, [id, foreign.id, 999_999])).toEqual(
      new Map([
        [id, { states: ['OR'] }],
        [foreign.id, {}],
      ]),
    );
  });

  test('is replaced alone, and only as the client has seen it', async () => {
    const [{ id }, other] = [await make('a'), await make('x')];
    expect(
      parse(await replace(id, { filter: { states: ['CA'] }, unchangedSince: '2026-11-03T12:00:00.000Z' })),
    ).toEqual({
      ...{ id, name: 'b', filter: { states: ['CA'] } },
      ...{ created_at: '2026-11-03T12:00:00.000Z', updated_at: '2026-11-03T12:00:01.500Z' },
    });
    const late = replace(id, { name: 'late', unchangedSince: '2026-11-03T12:00:00.000Z' });
    await expect(late).rejects.toThrow(RecordChangedError);
    await expect(replace(id, { name: 'x' })).rejects.toThrow(NameTakenError);
    expect([await replace(id, { accountId: theirs }), await replace(999_999)]).toEqual([null, null]);
    expect(await replace(999_999, { unchangedSince: 'x' })).toBeNull();
    expect(parse(await findSubscription(pool, ours, id))).toMatchObject({ name: 'b' });
    expect(parse(await findSubscription(pool, ours, other.id))).toMatchObject({ name: 'x', filter: {} });
  });

  test('is deleted by its account, once, unless a webhook follows it', async () => {
    const [{ id }, used] = [await make('a'), await make('b')];
    await createWebhook(pool, webhookOf({ subscriptionId: used.id, filter: null }));
    expect([await deleteSubscription(pool, theirs, id), await deleteSubscription(pool, ours, id)]).toEqual([
      ...[false, true],
    ]);
    expect(await deleteSubscription(pool, ours, id)).toBe(false);
    await expect(deleteSubscription(pool, ours, used.id)).rejects.toThrow(SubscriptionInUseError);
    expect(await findSubscription(pool, ours, used.id)).not.toBeNull();
  });
});

const webhookOf = (values: Partial<NewWebhook> = {}): NewWebhook => ({
  ...{ accountId: ours, name: 'hook', url: 'https://a.example/', subscriptionId: null, filter: {} },
  ...{ secret: Buffer.from('first'), cursor: 'start', now: NOW, idempotency: null },
  answer: (record) => `made ${record}`,
  ...values,
});

describe('a webhook', () => {
  const make = async (values: Partial<NewWebhook> = {}) => (await createWebhook(pool, webhookOf(values))).id;
  const parse = (text: string | null) => (text === null ? null : JSON.parse(text));
  const read = async (id: number) => parse(await findWebhook(pool, ours, id));
  const stored = async (id: number) =>
    (await client.query('SELECT * FROM webhooks WHERE id = $1', [id])).rows[0];
  const IDEMPOTENCY = { key: 'k', requestHash: Buffer.from('hash') };

  test('is made once for a key, as many as the plan of the account allows', async () => {
    const made = await createWebhook(pool, webhookOf({ idempotency: IDEMPOTENCY }));
    expect(await createWebhook(pool, webhookOf({ idempotency: IDEMPOTENCY }))).toEqual(made);
    expect(JSON.parse(made.record.slice('made '.length))).toMatchObject({ id: made.id, cursor: 'start' });
    await expect(make()).rejects.toThrow(NameTakenError);
    for (const name of ['b', 'c', 'd', 'e']) await make({ name });
    await expect(make({ name: 'f' })).rejects.toThrow('at most 5 webhooks');
    await make({ accountId: theirs });
    await expect(make({ accountId: theirs, name: 'b' })).rejects.toThrow(TooManyWebhooksError);
    const unlimited = await createAccount(client, 'internal');
    for (let count = 0; count < 10; count += 1) await make({ accountId: unlimited, name: `n${count}` });
    await expect(make({ accountId: unlimited, name: 'more' })).rejects.toThrow('at most 10 webhooks');
    const listed = JSON.parse(`[${await listWebhooks(pool, ours)}]`) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(['hook', 'b', 'c', 'd', 'e']);
    await expect(
      make({ accountId: await createAccount(client), subscriptionId: 999_999, filter: null }),
    ).rejects.toThrow(SubscriptionGoneError);
  });

  test('is read, replaced and deleted by its account alone', async () => {
    const [id, other] = [await make(), await make({ name: 'other' })];
    const replace = (values: object = {}) =>
      replaceWebhook(pool, {
        ...{
          accountId: ours,
          id,
          name: 'new',
          url: 'https://a.example/',
          subscriptionId: null,
          filter: { states: ['OR'] },
        },
        ...{ now: LATER },
        ...values,
      });
    expect(parse(await replace({ unchangedSince: '2026-11-03T12:00:00.000Z' }))).toMatchObject({
      ...{ name: 'new', filter: { states: ['OR'] }, updated_at: '2026-11-03T12:00:01.500Z' },
    });
    expect(await stored(id)).toMatchObject({ revision: '2', next_attempt_at: null });
    await expect(replace({ unchangedSince: '2026-11-03T12:00:00.000Z' })).rejects.toThrow(RecordChangedError);
    await expect(replace({ name: 'other' })).rejects.toThrow(NameTakenError);
    expect([
      await replace({ accountId: theirs }),
      await replace({ id: 999_999, unchangedSince: 'x' }),
    ]).toEqual([...[null, null]]);
    expect(await findWebhook(pool, theirs, id)).toBeNull();
    expect([await findWebhookCursor(pool, ours, id), await findWebhookCursor(pool, theirs, id)]).toEqual([
      ...['start', null],
    ]);
    expect(await read(other)).toMatchObject({ name: 'other', filter: {} });
    expect([await deleteWebhook(pool, theirs, id), await deleteWebhook(pool, ours, id)]).toEqual([
      false,
      true,
    ]);
    expect([await deleteWebhook(pool, ours, id), await read(id), (await read(other)).name]).toEqual([
      ...[false, null, 'other'],
    ]);
  });

  test('that fails tries again at once if its address changes, and waits on if it does not', async () => {
    const id = await make();
    const next = new Date('2026-11-03T15:00:00Z');
    const replace = (address: string) =>
      replaceWebhook(pool, {
        ...{ accountId: ours, id, name: 'hook', url: address, subscriptionId: null, filter: {}, now: LATER },
      });
    await replace('https://c.example/');
    expect((await stored(id)).next_attempt_at).toBeNull();
    await replace('https://a.example/');
    await client.query(
      `UPDATE webhooks SET state = 'failing', failures = 3, failing_since = now(), next_attempt_at = $2 WHERE id = $1`,
      [id, next],
    );
    await replace('https://a.example/');
    expect(await stored(id)).toMatchObject({ next_attempt_at: next, revision: '3' });
    await replace('https://b.example/');
    expect(await stored(id)).toMatchObject({
      next_attempt_at: LATER,
      state: 'failing',
      failures: 3,
      revision: '4',
    });
  });

  test('has another secret once for a key, and signs with the one before until a time', async () => {
    const [id, other] = [await make(), await make({ name: 'other' })];
    const until = new Date('2026-11-04T12:00:00Z');
    const rotate = (secret: string, values: object = {}) =>
      rotateSecret(pool, {
        ...{ accountId: ours, id, secret: Buffer.from(secret), previousUntil: until, now: LATER },
        ...{ idempotency: IDEMPOTENCY, answer: () => `made ${secret}` },
        ...values,
      });
    expect(await rotate('second', { accountId: theirs })).toBeNull();
    expect([await rotate('second'), await rotate('third')]).toEqual(['made second', 'made second']);
    expect(await stored(id)).toMatchObject({
      ...{
        secret: Buffer.from('second'),
        previous_secret: Buffer.from('first'),
        previous_secret_until: until,
      },
      ...{ updated_at: LATER, revision: '2' },
    });
    await rotate('fourth', { idempotency: null });
    expect(await stored(id)).toMatchObject({
      ...{ secret: Buffer.from('fourth'), previous_secret: Buffer.from('second'), revision: '3' },
    });
    expect(await stored(other)).toMatchObject({
      secret: Buffer.from('first'),
      previous_secret: null,
      revision: '1',
    });
  });

  /** Lets a webhook fail, with a begun batch. */
  const disable = async (id: number, reason: string) => {
    await client.query(
      `UPDATE webhooks SET state = 'disabled', reason = $2, failures = 9, failing_since = now() WHERE id = $1`,
      [id, reason],
    );
    await client.query(
      `INSERT INTO webhook_batches (webhook_id, message_id, body, events, cursor) VALUES ($1, 'm', '', 1, 'after')
       ON CONFLICT DO NOTHING`,
      [id],
    );
  };
  const batches = async () =>
    (await client.query('SELECT webhook_id AS id FROM webhook_batches ORDER BY 1')).rows;

  test('is resumed where it stood, with its batch, or elsewhere without it, unless operators have disabled it', async () => {
    await client.query('TRUNCATE webhook_batches');
    const [id, other] = [await make(), await make({ name: 'other' })];
    const resume = (cursor: string | null, accountId = ours) =>
      resumeWebhook(pool, { accountId, id, cursor, now: LATER });
    await disable(other, 'receiver_failed');
    await disable(id, 'by_operator');
    expect(await resume('elsewhere')).toBeNull();
    await disable(id, 'receiver_failed');
    expect(await resume(null, theirs)).toBeNull();
    expect([await read(id), await batches()]).toMatchObject([{ state: 'disabled' }, [{ id }, { id: other }]]);
    expect(parse(await resume(null))).toMatchObject({
      ...{ state: 'active', reason: null, failures: 0, failing_since: null, cursor: 'start' },
      updated_at: '2026-11-03T12:00:01.500Z',
    });
    expect([await batches(), (await stored(id)).revision]).toEqual([[{ id }, { id: other }], '2']);
    await disable(id, 'position_expired');
    expect(parse(await resume('elsewhere'))).toMatchObject({ state: 'active', cursor: 'elsewhere' });
    expect(await batches()).toEqual([{ id: other }]);
    // One that works can be sent elsewhere too.
    expect(parse(await resume('further'))).toMatchObject({ state: 'active', cursor: 'further' });
  });

  test('has one test message asked for at a time', async () => {
    const [id, other] = [await make(), await make({ name: 'other' })];
    const ask = (messageId: string, accountId = ours) => requestTest(pool, { accountId, id, messageId });
    expect([await ask('x', theirs), await ask('one'), await ask('two')]).toEqual([null, 'one', 'one']);
    await client.query('UPDATE webhooks SET test_message = NULL WHERE id = $1', [id]);
    expect(await ask('three')).toBe('three');
    expect((await stored(other)).test_message).toBeNull();
  });

  test('shows its last attempt, and the newest of each message', async () => {
    const [id, other] = [await make(), await make({ name: 'other' })];
    const attempt = (webhook: number, number: number, message: string, status: number) =>
      client.query(
        `INSERT INTO webhook_attempts (webhook_id, number, message_id, is_test, attempted_at, duration_ms, outcome, status, events,
           bytes, answer) VALUES ($1, $2, $3, false, $4, 5, 'refused', $5, 1, 2, '')`,
        [webhook, number, message, new Date(NOW.getTime() + number), status],
      );
    await attempt(id, 1, 'a', 500);
    await attempt(id, 2, 'a', 501);
    await attempt(id, 3, 'b', 502);
    await attempt(other, 1, 'a', 503);
    await client.query('UPDATE webhooks SET attempts = 3 WHERE id = $1', [id]);
    expect(await read(id)).toMatchObject({ attempts: 3, last_attempt: { message_id: 'b', status: 502 } });
    expect((await read(other)).last_attempt).toBeNull();
    expect(parse(await findAttempt(pool, id, 'a'))).toMatchObject({
      status: 501,
      attempted_at: '2026-11-03T12:00:00.002Z',
    });
    expect([await findAttempt(pool, other, 'b'), parse(await findAttempt(pool, other, 'a'))]).toMatchObject([
      null,
      { status: 503 },
    ]);
    const numbers = async (before: number | null, limit: number) =>
      (await listAttempts(client, id, { before, limit })).map(({ number }) => number);
    expect([await numbers(null, 2), await numbers(2, 2), await numbers(1, 2)]).toEqual([[3, 2], [1], []]);
  });

  test('is disabled by its account or by operators, once, and retried by operators', async () => {
    await client.query('TRUNCATE audit_log');
    const [id, other] = [await make(), await make({ name: 'other' })];
    await client.query(
      `UPDATE webhooks SET state = 'failing', failures = 2, next_attempt_at = now() WHERE id = $1`,
      [id],
    );
    expect(await disableWebhook(client, { id, accountId: theirs }, ACTOR)).toBe(false);
    expect(await disableWebhook(client, { id, accountId: ours }, ACTOR)).toBe(true);
    expect(await stored(id)).toMatchObject({
      ...{ state: 'disabled', reason: 'by_account', next_attempt_at: null, revision: '2' },
    });
    expect(await disableWebhook(client, { id, accountId: ours }, ACTOR)).toBe(true);
    expect(await stored(id)).toMatchObject({ reason: 'by_account', revision: '2' });
    expect(await disableWebhook(client, { id: other, accountId: null }, ACTOR)).toBe(true);
    expect(await stored(other)).toMatchObject({ reason: 'by_operator' });
    expect([await retryWebhook(client, other, ACTOR), await retryWebhook(client, 999_999, ACTOR)]).toEqual([
      ...[true, false],
    ]);
    expect(await stored(other)).toMatchObject({ state: 'active', reason: null, revision: '3' });
    const { rows } = await client.query('SELECT action, subject, account_id FROM audit_log ORDER BY id');
    expect(rows).toEqual([
      { action: 'webhook.disabled', subject: `webhook ${id}`, account_id: ours },
      { action: 'webhook.disabled', subject: `webhook ${other}`, account_id: ours },
      { action: 'webhook.retried', subject: `webhook ${other}`, account_id: ours },
    ]);
  });

  test('is one of all accounts for operators, who choose by account, state or id', async () => {
    await client.query('TRUNCATE webhooks CASCADE');
    const [first, second, third] = [
      await make(),
      await make({ accountId: theirs }),
      await make({ name: 'c' }),
    ];
    await disableWebhook(client, { id: third, accountId: null }, ACTOR);
    const ids = async (chosen: object) =>
      (await listAllWebhooks(client, { limit: 10, ...chosen })).map(({ id }) => id);
    expect(await ids({})).toEqual([first, second, third]);
    expect([
      await ids({ limit: 1, after: first }),
      await ids({ id: third }),
      await ids({ state: 'disabled' }),
    ]).toEqual([...[[second], [third], [third]]]);
    expect([await ids({ accountId: ours }), await ids({ accountId: theirs })]).toEqual([
      [first, third],
      [second],
    ]);
  });

  test('has a notice that is due until somebody was told, while it is disabled', async () => {
    await client.query('TRUNCATE webhooks CASCADE');
    const [id, other, resumed] = [await make(), await make({ name: 'b' }), await make({ name: 'c' })];
    await disable(id, 'receiver_gone');
    await disable(other, 'by_operator');
    await client.query('UPDATE webhooks SET notice_due = (id <> $1)', [other]);
    for (const [name, account] of [
      ['zoe', ours],
      ['ann', ours],
      ['bob', theirs],
    ] as const) {
      await client.query(
        `WITH person AS (INSERT INTO people (issuer, subject, email, name) VALUES ('i', $3, $1, $1) RETURNING id)
         INSERT INTO account_members (account_id, person_id, role) SELECT $2, id, 'member' FROM person`,
        [name, account, `${name} ${account}`],
      );
    }
    expect(resumed).toBeGreaterThan(0);
    const [due] = (await listDueNotices(client as never, 10)) as [DueNotice];
    expect(due).toMatchObject({ id, name: 'hook', reason: 'receiver_gone', people: ['ann', 'zoe'] });
    expect(await listDueNotices(client as never, 0)).toEqual([]);
    await noteTold(client as never, { ...due, id: other });
    expect(await listDueNotices(client as never, 10)).toHaveLength(1);
    await noteTold(client as never, due);
    expect(await listDueNotices(client as never, 10)).toEqual([]);
  });
});
