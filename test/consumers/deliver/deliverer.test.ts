/** Which process delivers, step by step, to receivers that answer when the test says so. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { Deliverer } from '../../../consumers/deliver/deliverer.ts';
import type { Attempt } from '../../../consumers/deliver/send.ts';
import { formatCursor } from '../../../schemas/cursor.ts';
import { generateWebhookSecret } from '../../../schemas/webhook-signature.ts';
import { createLog } from '../../../service/log.ts';
import { readWebhookSettings, sealPurpose, type WebhookSettings } from '../../../service/webhook-settings.ts';
import { claimShare, endLease, renewLease } from '../../../store/webhooks/leases.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { usePool, useTestDatabase } from '../../helpers/postgres/database.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { FakeFeed, HOUR } from '../../helpers/stream/fed-stream.ts';
import { until } from '../../helpers/until.ts';
import { WEBHOOK_ENV } from '../../helpers/webhooks/webhook-env.ts';

const { url, client } = useTestDatabase();
const DELIVERED: Attempt = { outcome: 'delivered', status: 204, retryAfterMs: null, answer: '' };
const { seal } = readWebhookSettings(WEBHOOK_ENV) as WebhookSettings;
const clock = new ManualClock();
const RECORD = 'record webhook attempts';
const SAVE = 'save webhook batches';

const pool = usePool(url);
let accountId: number;
/** The attempts under way, which the test ends. */
let attempts: PromiseWithResolvers<Attempt>[];
/** The statements that were sent, and the number of those that counted shares and were answered. */
let statements: string[];
let looks: number;
/** Whether attempts cannot be recorded, and the statement whose answers are lost, with their number. */
let isAway: boolean;
let unanswered: string | null;
let lostAnswers: number;
let feed: FakeFeed;
let deliverer: Deliverer;
/** Creates a process that follows a stream. */
let createDeliverer: (stream: FakeFeed & { ready: boolean; isInConflict: boolean }) => Deliverer;

beforeAll(async () => {
  accountId = await createAccount(client, 'internal');
});

beforeEach(async () => {
  await client.query('TRUNCATE webhooks, webhook_deliverers, webhook_usage_days CASCADE');
  [attempts, statements, looks, isAway, unanswered, lostAnswers] = [[], [], 0, false, null, 0];
  feed = new FakeFeed(clock);
  const cursor = formatCursor({ epoch: feed.epoch, ...feed.latest });
  for (const name of ['first', 'second']) {
    await client.query(
      `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, created_at, updated_at)
       VALUES ($1, $2, 'https://hooks.example.org/', '{}', $3, $4, now(), now())`,
      [accountId, name, seal.close(generateWebhookSecret(), sealPurpose(accountId)), cursor],
    );
  }
  feed.append();
  const query = async (given: string | { name: string }, values?: unknown[]) => {
    const name = typeof given === 'string' ? given : given.name;
    statements.push(name);
    if (isAway && name === RECORD) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const answer = await pool.query(given as string, values);
    if (name === unanswered) {
      lostAnswers += 1;
      throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
    }
    if (name === 'count webhook shares') looks += 1;
    return answer;
  };
  const send = () => {
    const attempt = Promise.withResolvers<Attempt>();
    attempts.push(attempt);
    return attempt.promise;
  };
  createDeliverer = (stream) =>
    new Deliverer({
      ...{ feed: stream, startFeed: () => {}, pool: { query } as unknown as pg.Pool },
      ...{ sender: { send, close: () => {} }, seal, noticeUrl: null, retentionMs: HOUR, clock },
      log: createLog('consumers', 'silent'),
    });
  deliverer = createDeliverer(Object.assign(feed, { ready: true, isInConflict: false }));
  deliverer.start();
  await until('both attempts are under way', () => attempts.length === 2);
});
afterEach(async () => {
  for (const { resolve } of attempts) resolve(DELIVERED);
  await deliverer.stop();
});

/** Waits for a look that begins from now on, and for what follows at once. */
async function untilItLooks(): Promise<void> {
  const before = looks;
  await until('it looks', () => looks > before);
  await settle();
}

const isReleased = () => statements.some((text) => text.includes('SET deliverer_id = NULL'));

test('a webhook goes to another process only when its attempt under way has ended', async () => {
  await renewLease(pool, randomUUID(), HOUR);
  await untilItLooks();
  expect(isReleased()).toBe(false);
  for (const { resolve } of attempts) resolve(DELIVERED);
  await until('it gives one up', isReleased);
  expect(attempts).toHaveLength(2);
});

const requestTest = () => client.query(`UPDATE webhooks SET test_message = 'msg_test' WHERE name = 'first'`);

test('the others do not wait for the attempt of a webhook that goes to another process', async () => {
  await renewLease(pool, randomUUID(), HOUR);
  await untilItLooks();
  await requestTest();
  await until('the test is under way', () => attempts.length === 3);
  expect(isReleased()).toBe(false);
});

test('a webhook that goes to another process stays if that one ends meanwhile', async () => {
  const other = randomUUID();
  await renewLease(pool, other, HOUR);
  await untilItLooks();
  await endLease(pool, other);
  await untilItLooks();
  for (const { resolve } of attempts) resolve(DELIVERED);
  const recorded = async () => (await client.query('SELECT FROM webhook_batches')).rowCount === 0;
  await until('both are recorded', recorded);
  feed.append();
  await until('the next messages are under way', () => attempts.length === 4);
  expect(isReleased()).toBe(false);
});

test('a process has no share of the webhooks before it knows the stream', async () => {
  const stream = Object.assign(new FakeFeed(clock), { ready: false, isInConflict: false });
  const other = createDeliverer(stream);
  const fairShare = async () => (await claimShare(pool, randomUUID())).fair;
  other.start();
  try {
    await until('the other process has looked', () => other.succeededWithin(HOUR));
    expect(await fairShare()).toBe(2);
    stream.ready = true;
    await until('it has a share', async () => (await fairShare()) === 1);
  } finally {
    await other.stop();
  }
});

test('a webhook that is edited gets no second attempt, and no second test, while the first one is under way', async () => {
  await client.query('UPDATE webhooks SET revision = revision + 1');
  await requestTest();
  await until('the test is under way', () => attempts.length === 3);
  await untilItLooks();
  expect(attempts).toHaveLength(3);
  for (const { resolve } of attempts) resolve(DELIVERED);
  // The attempts of earlier revisions do not count, so the batches are sent again.
  await until('the batches are sent again', () => attempts.length === 5);
});

test('a webhook that was tested is tested again when its account asks for it', async () => {
  await requestTest();
  await until('the first test is under way', () => attempts.length === 3);
  attempts[2]?.resolve(DELIVERED);
  const tested = async () => (await client.query('SELECT FROM webhook_attempts WHERE is_test')).rowCount;
  await until('it is recorded', async () => (await tested()) === 1);
  await requestTest();
  await until('the second test is under way', () => attempts.length === 4);
});

test('a process that stops waits for the test under way, and records it', async () => {
  await requestTest();
  await until('the test is under way', () => attempts.length === 3);
  const [first, second, testing] = attempts;
  const stopping = deliverer.stop();
  for (const batch of [first, second]) batch?.resolve(DELIVERED);
  const recorded = async (isTest: boolean) =>
    (await client.query('SELECT FROM webhook_attempts WHERE is_test = $1', [isTest])).rowCount;
  await until('the batches are recorded', async () => (await recorded(false)) === 2);
  await settle();
  const hasEndedLease = () =>
    statements.some((text) => text.startsWith('DELETE FROM webhook_deliverers WHERE id'));
  expect(hasEndedLease()).toBe(false);
  testing?.resolve(DELIVERED);
  await stopping;
  expect(hasEndedLease()).toBe(true);
  expect(await recorded(true)).toBe(1);
});

test('a process stops although the database takes no attempts, which others make again', async () => {
  isAway = true;
  for (const { resolve } of attempts) resolve(DELIVERED);
  await until('it tries to record them', () => statements.includes(RECORD));
  await deliverer.stop();
  expect((await client.query('SELECT FROM webhook_batches')).rowCount).toBe(2);
});

test('an attempt is counted once although the answer to recording it is lost, and the next message follows', async () => {
  unanswered = RECORD;
  const recordings = () => statements.filter((name) => name === RECORD).length;
  for (const { resolve } of attempts) resolve(DELIVERED);
  const counts = async () => {
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM webhook_attempts) AS listed, (SELECT sum(attempts)::int FROM webhooks) AS noted,
         accepted::int, events::int FROM webhook_usage_days`,
    );
    return rows;
  };
  const once = [{ listed: 2, noted: 2, accepted: 2, events: 2 }];
  await until('both are recorded', async () => (await counts())[0]?.listed === 2);
  const before = recordings();
  await until('they are recorded again', async () => {
    await clock.advance(1000);
    return recordings() > before + 1;
  });
  unanswered = null;
  feed.append();
  await until('the next messages are under way', async () => {
    await clock.advance(1000);
    return attempts.length === 4;
  });
  expect(await counts()).toEqual(once);
});

test('a batch that is stored although the answer to storing it is lost is sent after a pause, as it is stored', async () => {
  for (const { resolve } of attempts) resolve(DELIVERED);
  const stored = async () => (await client.query('SELECT FROM webhook_batches')).rowCount;
  await until('both are recorded', async () => (await stored()) === 0);
  const loads = () => statements.filter((name) => name === 'load held webhooks').length;
  const before = loads();
  unanswered = SAVE;
  feed.append();
  await until('an answer is lost', () => lostAnswers > 0);
  unanswered = null;
  await until('the next messages are under way', async () => {
    await clock.advance(1000);
    return attempts.length === 4;
  });
  expect([await stored(), loads()]).toEqual([2, before]);
});
