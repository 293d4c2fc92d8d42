import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { resumeWebhook } from '../../store/access/webhooks.ts';
import {
  deleteOldAttempts,
  expireWebhook,
  loadBatch,
  movePositions,
  type RecordedAttempt,
  recordAttempts,
  saveBatches,
} from '../../store/webhooks/deliveries.ts';
import {
  claimShare,
  endLease,
  listHeld,
  loadHeld,
  releaseWebhooks,
  renewLease,
} from '../../store/webhooks/leases.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { isWaiting, overlap } from '../helpers/postgres/overlap.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { until } from '../helpers/until.ts';

const database = useTestDatabase();
const pool = usePool(database.url);
let accountId: number;
beforeAll(async () => {
  const { rows } = await pool.query(
    "INSERT INTO accounts (name, plan) VALUES ('acme', 'internal') RETURNING id",
  );
  accountId = rows[0].id;
});
beforeEach(() => pool.query('TRUNCATE webhooks, webhook_deliverers CASCADE'));

const LEASE_MS = 60_000;

async function addWebhooks(count: number): Promise<number[]> {
  const { rows } = await pool.query(
    `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, created_at, updated_at)
     SELECT $1, 'n' || n, 'https://hooks.example.org/', '{}', '\\x00', 'start', now(), now()
     FROM generate_series(1, $2) n RETURNING id`,
    [accountId, count],
  );
  return rows.map(({ id }) => id);
}

async function startDeliverer(): Promise<string> {
  const id = randomUUID();
  await renewLease(pool, id, LEASE_MS);
  return id;
}

const heldBy = async (id: string) => (await listHeld(pool, id)).map((each) => each.id).sort((a, b) => a - b);
const oneOf = async (id: number) => (await pool.query('SELECT * FROM webhooks WHERE id = $1', [id])).rows[0];

const attemptOf = (id: number, values: Partial<RecordedAttempt> = {}): RecordedAttempt => ({
  ...{ id, revision: 1, attemptId: randomUUID(), messageId: 'msg_1', isTest: false },
  ...{ attemptedAt: Date.now(), durationMs: 5 },
  ...{ outcome: 'delivered', status: 204, events: 2, bytes: 10, answer: '' },
  after: {
    state: 'active',
    reason: null,
    failures: 0,
    failingSince: null,
    nextAttemptAt: null,
    cursor: 'after',
  },
  ...values,
});
const batchOf = (id: number, values: object = {}) => ({
  ...{ id, revision: 1, messageId: 'msg_1', body: Buffer.from('{"a":"é"}'), events: 2, cursor: 'after' },
  ...values,
});

describe('webhooks', () => {
  test('are shared fairly, and each is held by one process', async () => {
    const ids = await addWebhooks(10);
    const first = await startDeliverer();
    expect(await claimShare(pool, first)).toEqual({ held: 10, fair: 10 });
    const second = await startDeliverer();
    expect(await claimShare(pool, second)).toEqual({ held: 0, fair: 5 });
    expect(await claimShare(pool, first)).toEqual({ held: 10, fair: 5 });
    await releaseWebhooks(pool, first, ids.slice(0, 5));
    expect(await claimShare(pool, second)).toEqual({ held: 5, fair: 5 });
    expect([await heldBy(first), await heldBy(second)]).toEqual([ids.slice(5), ids.slice(0, 5)]);
    // A process claims no more than it lacks, although more are free.
    await releaseWebhooks(pool, second, ids.slice(0, 5));
    await releaseWebhooks(pool, first, ids.slice(8));
    expect(await claimShare(pool, first)).toEqual({ held: 5, fair: 5 });
  });

  test('claimed by several processes at once go to one of them', async () => {
    const ids = await addWebhooks(50);
    const all = await Promise.all(Array.from({ length: 4 }, startDeliverer));
    for (let round = 0; round < 3; round += 1) await Promise.all(all.map((id) => claimShare(pool, id)));
    const held = await Promise.all(all.map(heldBy));
    expect(held.flat().sort((a, b) => a - b)).toEqual(ids);
    expect(Math.max(...held.map(({ length }) => length))).toBeLessThanOrEqual(13);
  });

  test('of a process whose lease has expired or ended go to others, and not before', async () => {
    await addWebhooks(4);
    const [first, second] = [await startDeliverer(), await startDeliverer()] as const;
    for (const id of [first, second]) await claimShare(pool, id);
    await claimShare(pool, second);
    expect(await heldBy(second)).toHaveLength(2);
    await pool.query("UPDATE webhook_deliverers SET expires_at = now() - interval '1 ms' WHERE id = $1", [
      first,
    ]);
    await claimShare(pool, second);
    expect(await heldBy(second)).toHaveLength(4);
    await endLease(pool, second);
    expect(await heldBy(second)).toEqual([]);
    // Without a lease, nothing can be claimed.
    await claimShare(pool, second);
    expect(await heldBy(second)).toEqual([]);
  });

  test('that are disabled, or of a suspended account, are not held, except for a test', async () => {
    const [active, tested, off] = (await addWebhooks(3)) as [number, number, number];
    await pool.query("UPDATE webhooks SET state = 'disabled', reason = 'by_account' WHERE id = ANY($1)", [
      [tested, off],
    ]);
    await pool.query("UPDATE webhooks SET test_message = 'msg_t' WHERE id = $1", [tested]);
    const id = await startDeliverer();
    await claimShare(pool, id);
    expect(
      (await listHeld(pool, id)).map(({ id: held, isEnabled, testMessage }) => [
        held,
        isEnabled,
        testMessage,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [active, true, null],
        [tested, false, 'msg_t'],
      ]),
    );
    expect(await heldBy(id)).toEqual([active, tested]);
    await pool.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [accountId]);
    expect(await listHeld(pool, id)).toEqual([]);
    // It may have been listed just before.
    expect(await loadHeld(pool, id, [active])).toEqual([]);
    await pool.query('UPDATE accounts SET suspended_at = NULL WHERE id = $1', [accountId]);
  });
});

describe('beside the webhooks of another process and others of its own, a process', () => {
  let own: string;
  let other: string;
  /** Three webhooks of its own, the first of which follows a subscription, and one of the other process. */
  let ids: [number, number, number, number];

  beforeEach(async () => {
    [own, other] = [await startDeliverer(), await startDeliverer()];
    ids = (await addWebhooks(4)) as typeof ids;
    await pool.query('UPDATE webhooks SET deliverer_id = CASE WHEN id = $1 THEN $2 ELSE $3 END::uuid', [
      ids[3],
      other,
      own,
    ]);
    await pool.query('DELETE FROM subscriptions');
    await pool.query(
      `INSERT INTO subscriptions (account_id, name, filter, created_at, updated_at)
       SELECT $1, 's' || n, jsonb_build_object('states', ARRAY['S' || n]), now(), now() FROM generate_series(1, 2) n`,
      [accountId],
    );
    await pool.query(
      `UPDATE webhooks SET filter = NULL, subscription_id = (SELECT id FROM subscriptions WHERE name = 's1') WHERE id = $1`,
      [ids[0]],
    );
  });

  const cursors = async () =>
    (await pool.query('SELECT cursor FROM webhooks ORDER BY id')).rows.map((row) => row.cursor);
  const states = async () =>
    (await pool.query('SELECT state FROM webhooks ORDER BY id')).rows.map((row) => row.state);
  const batches = () => Promise.all(ids.map(async (id) => (await loadBatch(pool, id))?.messageId ?? null));

  test('loads each of its webhooks once, with its own filter and batch', async () => {
    await saveBatches(pool, own, [batchOf(ids[1])]);
    expect((await listHeld(pool, own)).map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids.slice(0, 3));
    const loaded = await loadHeld(pool, own, ids);
    expect(loaded.map(({ id, hasBatch, filter }) => [id, hasBatch, filter]).sort()).toEqual([
      [ids[0], false, { states: ['S1'] }],
      [ids[1], true, {}],
      [ids[2], false, {}],
    ]);
  });

  test('stores the batch of one webhook for that webhook, and none for one of the other process', async () => {
    expect(await saveBatches(pool, own, [batchOf(ids[0]), batchOf(ids[3])])).toEqual(new Set([ids[0]]));
    expect(await batches()).toEqual(['msg_1', null, null, null]);
    await saveBatches(pool, own, [batchOf(ids[1], { messageId: 'msg_2' })]);
    expect(await batches()).toEqual(['msg_1', 'msg_2', null, null]);
  });

  test('moves the positions of those webhooks that it names, holds and knows as they are', async () => {
    const move = (id: number, revision: number) => ({ id, revision, cursor: `start + ${revision}` });
    await saveBatches(pool, own, [batchOf(ids[0])]);
    await movePositions(pool, own, [move(ids[0], 1), move(ids[1], 1), move(ids[2], 2), move(ids[3], 1)]);
    expect(await cursors()).toEqual(['start', 'start + 1', 'start', 'start']);
  });

  test('forgets the batch that was delivered, and no other, also if it has the same message id', async () => {
    await saveBatches(pool, own, [batchOf(ids[0]), batchOf(ids[1]), batchOf(ids[2])]);
    await recordAttempts(pool, own, [attemptOf(ids[0]), attemptOf(ids[1], { messageId: 'an earlier one' })]);
    expect(await batches()).toEqual([null, 'msg_1', 'msg_1', null]);
  });

  test('has its test sent once, and a delivered batch does not count as the test', async () => {
    await pool.query(`UPDATE webhooks SET test_message = 'test ' || id`);
    const isTest = { isTest: true, events: 0, after: null };
    await recordAttempts(pool, own, [
      attemptOf(ids[0], { ...isTest, messageId: `test ${ids[0]}` }),
      attemptOf(ids[1], { ...isTest, messageId: 'an earlier test' }),
      attemptOf(ids[2], { messageId: `test ${ids[2]}` }),
    ]);
    const { rows } = await pool.query('SELECT test_message IS NULL AS sent FROM webhooks ORDER BY id');
    expect(rows.map(({ sent }) => sent)).toEqual([true, false, false, false]);
  });

  test('disables only its webhook, as it knows it, when its events are no longer kept', async () => {
    await pool.query(
      `UPDATE webhooks SET state = 'failing', failures = 1, failing_since = now(), next_attempt_at = now()`,
    );
    await expireWebhook(pool, own, { id: ids[0], revision: 2 });
    await expireWebhook(pool, own, { id: ids[3], revision: 1 });
    expect(new Set(await states())).toEqual(new Set(['failing']));
    await expireWebhook(pool, own, { id: ids[0], revision: 1 });
    expect(await states()).toEqual(['disabled', 'failing', 'failing', 'failing']);
    expect(await oneOf(ids[0])).toMatchObject({
      ...{ reason: 'position_expired', next_attempt_at: null, notice_due: true },
    });
  });

  test('gives back no webhook of the other process, and ends its own lease alone', async () => {
    await releaseWebhooks(pool, own, [ids[0], ids[3]]);
    expect([await heldBy(own), await heldBy(other)]).toEqual([ids.slice(1, 3), [ids[3]]]);
    await endLease(pool, own);
    expect(await heldBy(other)).toEqual([ids[3]]);
    await claimShare(pool, own);
    expect(await heldBy(own)).toEqual([]);
  });
});

/** A webhook that a deliverer holds, with a batch under way. */
async function startBatch(): Promise<{ id: number; own: string }> {
  const [id] = (await addWebhooks(1)) as [number];
  const own = await startDeliverer();
  await claimShare(pool, own);
  await saveBatches(pool, own, [batchOf(id)]);
  return { id, own };
}

describe('a batch', () => {
  test('is stored once, with its bytes, and only by the process that holds the webhook as it is', async () => {
    const [id] = (await addWebhooks(1)) as [number];
    const [own, other] = [await startDeliverer(), randomUUID()] as const;
    await claimShare(pool, own);
    expect(await saveBatches(pool, other, [batchOf(id)])).toEqual(new Set());
    expect(await saveBatches(pool, own, [batchOf(id, { revision: 2 })])).toEqual(new Set());
    expect(await loadBatch(pool, id)).toBeNull();
    expect(await saveBatches(pool, own, [batchOf(id)])).toEqual(new Set([id]));
    expect(await saveBatches(pool, own, [batchOf(id, { messageId: 'msg_2' })])).toEqual(new Set());
    const { id: _, revision: __, ...stored } = batchOf(id);
    expect(await loadBatch(pool, id)).toEqual(stored);
    expect((await loadHeld(pool, own, [id]))[0]?.hasBatch).toBe(true);
  });

  test('that is stored while a person resumes its webhook elsewhere is dropped', async () => {
    const [id] = (await addWebhooks(1)) as [number];
    const own = await startDeliverer();
    await claimShare(pool, own);
    const reads = await openReadPool(database.url);
    await overlap(
      pool,
      (client) => saveBatches(client as unknown as pg.Pool, own, [batchOf(id)]),
      () => resumeWebhook(reads, { accountId, id, cursor: 'chosen', now: new Date() }),
    );
    await reads.end();
    expect(await loadBatch(pool, id)).toBeNull();
    expect((await oneOf(id)).cursor).toBe('chosen');
  });

  test('that was delivered is forgotten, and the position moves with it', async () => {
    const { id, own } = await startBatch();
    // While a batch is under way, the position stays.
    await movePositions(pool, own, [{ id, revision: 1, cursor: 'start + 1' }]);
    expect((await oneOf(id)).cursor).toBe('start');
    expect(await recordAttempts(pool, own, [attemptOf(id)])).toEqual(new Set([id]));
    expect(await loadBatch(pool, id)).toBeNull();
    expect(await oneOf(id)).toMatchObject({
      cursor: 'after',
      attempts: '1',
      delivered_batches: '1',
      delivered_events: '2',
    });
    await movePositions(pool, own, [{ id, revision: 1, cursor: 'later' }]);
    expect((await oneOf(id)).cursor).toBe('later');
    // A position from before the delivery can arrive late.
    await movePositions(pool, own, [{ id, revision: 1, cursor: 'earlier' }]);
    expect((await oneOf(id)).cursor).toBe('later');
  });
});

describe('an attempt', () => {
  test('is usage of the account on its UTC day, with the events that were accepted, and without tests', async () => {
    await pool.query('TRUNCATE webhook_usage_days');
    const ids = await addWebhooks(3);
    const own = await startDeliverer();
    await claimShare(pool, own);
    const evening = Date.parse('2026-11-03T23:59:59.999Z');
    const at = (index: number, values: Partial<RecordedAttempt>) => attemptOf(ids[index] as number, values);
    const refused = { outcome: 'refused', after: null } as const;
    await recordAttempts(pool, own, [
      at(0, { attemptedAt: evening, events: 2 }),
      at(1, { attemptedAt: evening, events: 40 }),
      at(2, { attemptedAt: evening + 1, events: 5, ...refused }),
    ]);
    await recordAttempts(pool, own, [
      at(0, { attemptedAt: evening, events: 3, ...refused }),
      at(1, { attemptedAt: evening + 1, events: 5 }),
      at(2, { attemptedAt: evening, events: 0, isTest: true, after: null }),
    ]);
    const { rows } = await pool.query(
      'SELECT account_id, day::text, accepted::int, failed::int, events::int FROM webhook_usage_days ORDER BY day',
    );
    expect(rows).toEqual([
      { account_id: accountId, day: '2026-11-03', accepted: 2, failed: 1, events: 42 },
      { account_id: accountId, day: '2026-11-04', accepted: 1, failed: 1, events: 5 },
    ]);
  });

  test('of many processes for one account at once does not lock up, and none is forgotten', async () => {
    await pool.query('TRUNCATE webhook_usage_days');
    const others = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => {
        const { rows } = await pool.query(
          "INSERT INTO accounts (name, plan) VALUES ($1, 'internal') RETURNING id",
          [`shared ${n}`],
        );
        return rows[0].id as number;
      }),
    );
    const ids = await addWebhooks(25);
    await pool.query('UPDATE webhooks SET account_id = ($1::int[])[id % 5 + 1], name = id || $2', [
      others,
      'x',
    ]);
    const own = await startDeliverer();
    await claimShare(pool, own);
    // Each process has its own webhooks, of all accounts.
    const processes = [0, 1, 2, 3, 4].map(async (process) => {
      const part = ids.slice(process * 5, process * 5 + 5);
      for (let round = 0; round < 20; round += 1) {
        await recordAttempts(
          pool,
          own,
          part.map((id) => attemptOf(id, { events: 1 })),
        );
        part.reverse();
      }
    });
    await Promise.all(processes);
    const { rows } = await pool.query('SELECT events::int FROM webhook_usage_days');
    expect(rows).toEqual(others.map(() => ({ events: 100 })));
  });

  test('that is recorded again after a lost answer counts once, also while the first statement still runs', async () => {
    await pool.query('TRUNCATE webhook_usage_days');
    const { id, own } = await startBatch();
    const attempt = attemptOf(id);
    const first = await pool.connect();
    await first.query('BEGIN');
    expect(await recordAttempts(first as unknown as pg.Pool, own, [attempt])).toEqual(new Set([id]));
    const again = recordAttempts(pool, own, [attempt]);
    await until('it waits for the first one', () => isWaiting(pool));
    await first.query('COMMIT');
    first.release();
    expect(await again).toEqual(new Set());
    // A test that is recorded between them, and a change by a person, do not matter.
    await recordAttempts(pool, own, [attemptOf(id, { isTest: true, after: null, messageId: 'msg_t' })]);
    await pool.query('UPDATE webhooks SET revision = 2');
    expect(await recordAttempts(pool, own, [attempt])).toEqual(new Set());
    expect(await oneOf(id)).toMatchObject({ attempts: '2', delivered_batches: '1', delivered_events: '2' });
    // Another attempt to deliver the same message counts.
    await recordAttempts(pool, own, [attemptOf(id)]);
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM webhook_attempts)::int AS listed, accepted::int, failed::int, events::int
       FROM webhook_usage_days`,
    );
    expect(rows).toEqual([{ listed: 3, accepted: 2, failed: 0, events: 4 }]);
  });

  test('under way does not undo what a person changes, and is counted', async () => {
    const { id, own } = await startBatch();
    await pool.query("UPDATE webhooks SET cursor = 'chosen', revision = revision + 1 WHERE id = $1", [id]);
    expect(await recordAttempts(pool, own, [attemptOf(id)])).toEqual(new Set());
    expect(await oneOf(id)).toMatchObject({ cursor: 'chosen', attempts: '1', delivered_batches: '1' });
    expect(await loadBatch(pool, id)).not.toBeNull();
    await movePositions(pool, own, [{ id, revision: 1, cursor: 'later' }]);
    expect((await oneOf(id)).cursor).toBe('chosen');
  });

  test('of a process that has lost the webhook changes nothing but the list of attempts', async () => {
    const [id] = (await addWebhooks(1)) as [number];
    const [own, other] = [await startDeliverer(), randomUUID()] as const;
    await claimShare(pool, own);
    const failed = {
      state: 'failing' as const,
      reason: null,
      failures: 1,
      failingSince: 1,
      nextAttemptAt: 2,
      cursor: null,
    };
    expect(await recordAttempts(pool, other, [attemptOf(id, { outcome: 'refused', after: failed })])).toEqual(
      new Set(),
    );
    expect(await oneOf(id)).toMatchObject({
      state: 'active',
      failures: 0,
      attempts: '1',
      delivered_batches: '0',
    });
  });

  test('is kept with the newest 1,000 of its webhook, for a week', async () => {
    const [id, other] = (await addWebhooks(2)) as [number, number];
    const own = await startDeliverer();
    await claimShare(pool, own);
    await recordAttempts(pool, own, [attemptOf(other)]);
    await pool.query('UPDATE webhooks SET attempts = 1200 WHERE id = $1', [id]);
    await pool.query(
      `INSERT INTO webhook_attempts SELECT $1, n, 'msg', false, now(), 1, 'delivered', 204, 1, 1, ''
       FROM generate_series(1, 1200) n`,
      [id],
    );
    await recordAttempts(pool, own, [attemptOf(id)]);
    const numbers = async () =>
      (
        await pool.query(
          'SELECT min(number)::int AS first, count(*)::int AS kept FROM webhook_attempts WHERE webhook_id = $1',
          [id],
        )
      ).rows[0];
    expect(await numbers()).toEqual({ first: 202, kept: 1000 });
    const ofOther = 'SELECT FROM webhook_attempts WHERE webhook_id = $1';
    expect((await pool.query(ofOther, [other])).rowCount).toBe(1);
    await pool.query(
      "UPDATE webhook_attempts SET attempted_at = now() - interval '7 days 1 minute' WHERE webhook_id = $1 AND number <= 500",
      [id],
    );
    await deleteOldAttempts(pool);
    expect(await numbers()).toEqual({ first: 501, kept: 701 });
  });

  test('INV-15: is forgotten after a week, however many there are', async () => {
    const [id] = await addWebhooks(1);
    await pool.query(
      `INSERT INTO webhook_attempts SELECT $1, n, 'msg', false, now() - interval '8 days', 1, 'delivered', 204, 1, 1, ''
       FROM generate_series(1, 20001) n`,
      [id],
    );
    await deleteOldAttempts(pool);
    const { rows } = await pool.query('SELECT number FROM webhook_attempts WHERE webhook_id = $1', [id]);
    expect(rows).toHaveLength(0);
  });
});
