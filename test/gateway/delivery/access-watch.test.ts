import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AccessWatch, type WatchedReader } from '../../../gateway/delivery/access-watch.ts';
import type { ApiError } from '../../../gateway/http/api-error.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { createSeverablePool, type SeverablePool } from '../../helpers/faults/severable-pool.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';
import { until } from '../../helpers/until.ts';

const database = useTestDatabase();
const { client } = database;
const clock = new ManualClock();
let severable: SeverablePool;
let accessWatch: AccessWatch;
let keyId: number;
/** The leases beyond their accounts' limits. */
let surplus = new Set<string>();
/** The keys whose use was noted. */
const noted = new Set<number>();
const keyUsage = { note: (key: number) => void noted.add(key) };

beforeEach(async () => {
  severable = await createSeverablePool(database.url);
  const { log } = captureLog();
  const streamLeases = { findSurplus: async () => surplus };
  accessWatch = new AccessWatch({ pool: severable.pool, keyUsage, streamLeases, clock, log });
  accessWatch.start();
  const { rows } = await client.query(
    `WITH account AS (INSERT INTO accounts (name, plan) VALUES (gen_random_uuid(), 'standard') RETURNING id)
     INSERT INTO api_keys (account_id, hash, scopes)
     SELECT id, sha256(gen_random_uuid()::text::bytea), '{stream:read}' FROM account RETURNING id`,
  );
  keyId = rows[0].id;
});
afterEach(async () => {
  await accessWatch.stop();
  await severable.close();
});

/** Puts a reader under watch. @returns the reader and the codes of its refusals */
function watch(lease: string | null = null): { reader: WatchedReader; refusals: string[] } {
  const refusals: string[] = [];
  const reader: WatchedReader = {
    credential: { key: keyId },
    subscription: null,
    lease,
    refuse: ({ code }: ApiError) => refusals.push(code),
    loseSubscription: () => refusals.push('subscription_changed'),
    loseLease: () => refusals.push('plan_changed'),
    changeFilter: ({ states = [] }) => refusals.push(`states ${states}`),
  };
  accessWatch.add(reader);
  return { reader, refusals };
}

async function untilRefused(refusals: string[]): Promise<void> {
  await until('the regular check', async () => {
    await clock.advance(2000);
    return refusals.length > 0;
  });
}

test('while the database is away readers continue, and only the regular check asks it', async () => {
  const { reader, refusals } = watch();
  await client.query('UPDATE api_keys SET revoked_at = now()');
  severable.way.sever();
  await accessWatch.check(reader);
  severable.way.mend();
  await accessWatch.check(reader);
  expect(refusals).toEqual([]);
  await untilRefused(refusals);
  expect(refusals).toContain('revoked_api_key');
  await accessWatch.stop();
  const { length } = refusals;
  await accessWatch.check(reader);
  expect(refusals).toHaveLength(length + 1);
});

test('an outage of the database is told once', async () => {
  const { log: captured, lines } = captureLog('warn');
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  let checks = 0;
  const pool = { any: () => Promise.reject(away) } as unknown as DatabasePool;
  const streamLeases = {
    async findSurplus() {
      checks += 1;
      throw away;
    },
  };
  const checking = new AccessWatch({ pool, keyUsage, streamLeases, clock, log: captured });
  checking.add(watch().reader);
  checking.start();
  await until('several checks', async () => {
    await clock.advance(2000);
    return checks > 2;
  });
  await checking.stop();
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringContaining('the credentials and subscriptions of readers cannot be checked'),
    expect.stringContaining('the leases of open streams cannot be checked'),
  ]);
});

test('a key is in use for as long as a reader follows the stream with it, and no longer once it is revoked', async () => {
  const { refusals } = watch();
  await until('the use of the key', async () => {
    await clock.advance(2000);
    return noted.has(keyId);
  });
  await client.query('UPDATE api_keys SET revoked_at = now()');
  await untilRefused(refusals);
  noted.clear();
  refusals.length = 0;
  await untilRefused(refusals);
  expect(noted).toEqual(new Set());
});

test('while the regular check still waits for a database that has failed, a reader that asks does not', async () => {
  const regular = Promise.withResolvers<object[]>();
  const answers = [() => Promise.reject(new Error('away')), () => regular.promise];
  let queries = 0;
  const pool = { any: () => answers[queries++]?.() ?? Promise.resolve([]) } as unknown as DatabasePool;
  const streamLeases = { findSurplus: async () => surplus };
  const asked = new AccessWatch({ pool, keyUsage, streamLeases, clock, log: captureLog().log });
  const { reader } = watch();
  asked.add(reader);
  await asked.check(reader);
  asked.start();
  await clock.advance(2000);
  expect(queries).toBe(2);
  await asked.check(reader);
  expect(queries).toBe(2);
  regular.resolve([]);
  await asked.stop();
});

test('many readers that ask at once share a query, and one that asks later gets another', async () => {
  const readers = Array.from({ length: 500 }, () => watch());
  const before = severable.queries;
  await Promise.all(readers.map(({ reader }) => accessWatch.check(reader)));
  expect(severable.queries).toBe(before + 1);
  const [first = watch()] = readers;
  const asking = accessWatch.check(first.reader);
  await until('the query', () => severable.queries === before + 2);
  await client.query('UPDATE api_keys SET revoked_at = now()');
  await Promise.all([asking, ...readers.map(({ reader }) => accessWatch.check(reader))]);
  expect(severable.queries).toBe(before + 3);
  for (const { refusals } of readers) expect(refusals).toContain('revoked_api_key');
});

test('a reader that asks during a check gets the next one, with its own answer', async () => {
  const state = { id: keyId, expiresAt: null, revoked: false, suspended: false };
  const answers = [Promise.withResolvers<object[]>(), Promise.withResolvers<object[]>()];
  let queries = 0;
  const pool = { any: () => answers[queries++]?.promise } as unknown as DatabasePool;
  const streamLeases = { findSurplus: async () => surplus };
  const asked = new AccessWatch({ pool, keyUsage, streamLeases, clock, log: captureLog().log });
  const [early, late] = [watch(), watch()];
  const checks = [asked.check(early.reader)];
  await until('the first query', () => queries === 1);
  checks.push(asked.check(late.reader));
  answers[0]?.resolve([state]);
  answers[1]?.resolve([{ ...state, revoked: true }]);
  await Promise.all(checks);
  expect([early.refusals, late.refusals]).toEqual([[], ['revoked_api_key']]);
});

test('a reader gets every edit of its subscription, one that returns to an earlier filter too', async () => {
  const filters = { first: { states: ['CA'] }, second: { states: ['OR'] } };
  const { rows } = await client.query(
    `INSERT INTO subscriptions (account_id, name, filter, created_at, updated_at)
     SELECT account_id, 'mine', $2, now(), now() FROM api_keys WHERE id = $1 RETURNING id`,
    [keyId, filters.first],
  );
  const { id } = rows[0];
  const edit = (filter: object) =>
    client.query('UPDATE subscriptions SET filter = $2 WHERE id = $1', [id, filter]);
  const { reader } = watch();
  const got: object[] = [];
  reader.subscription = { id, filter: filters.first };
  reader.changeFilter = (filter) => got.push(filter);
  await accessWatch.check(reader);
  await edit(filters.second);
  await accessWatch.check(reader);
  await accessWatch.check(reader);
  await edit(filters.first);
  await accessWatch.check(reader);
  expect(got).toEqual([filters.second, filters.first]);
});

test('readers of all kinds are checked together, each for itself', async () => {
  const { rows: sessions } = await client.query(
    `INSERT INTO console_sessions (hash, account_id, link_person, link_role, expires_at)
     SELECT sha256(gen_random_uuid()::text::bytea), account_id, 'Ann', 'member', to_timestamp($2::float8 / 1000)
     FROM api_keys, generate_series(1, 3) WHERE id = $1 RETURNING id, account_id AS "accountId"`,
    [keyId, clock.now() + 60_000],
  );
  const { rows: subscriptions } = await client.query(
    `INSERT INTO subscriptions (account_id, name, filter, created_at, updated_at)
     SELECT account_id, 'no. ' || n, '{"states": ["CA"]}', now(), now()
     FROM api_keys, generate_series(1, 3) AS n WHERE id = $1 RETURNING id`,
    [keyId],
  );
  const [kept, edited, deleted] = subscriptions.map(({ id }) => ({ id, filter: { states: ['CA'] } }));
  const [own, ended, ofOther] = sessions.map(({ id, accountId }) => ({ session: id, accountId }));
  const readers = Array.from({ length: 7 }, () => watch());
  const given: [object | undefined, object | undefined][] = [
    [undefined, undefined],
    [own, deleted],
    [{ ...ofOther, accountId: ofOther?.accountId + 1 }, undefined],
    [undefined, kept],
    [ended, undefined],
    [undefined, edited],
    [own, undefined],
  ];
  for (const [index, [credential, subscription]] of given.entries()) {
    Object.assign(readers[index]?.reader ?? {}, {
      ...(credential && { credential }),
      ...(subscription && { subscription }),
    });
  }
  await client.query('DELETE FROM console_sessions WHERE id = $1', [ended?.session]);
  await client.query('DELETE FROM subscriptions WHERE id = $1', [deleted?.id]);
  await client.query(`UPDATE subscriptions SET filter = '{"states": ["OR"]}' WHERE id = $1`, [edited?.id]);
  await Promise.all(readers.map(({ reader }) => accessWatch.check(reader)));
  expect(readers.map(({ refusals }) => refusals)).toEqual([
    [],
    ['subscription_changed'],
    [expect.any(String)],
    [],
    [expect.any(String)],
    ['states OR'],
    [],
  ]);
});

test('a reader that was removed is not checked any more', async () => {
  const [removed, kept] = [watch(), watch()];
  accessWatch.remove(removed.reader);
  await client.query('UPDATE api_keys SET revoked_at = now()');
  await untilRefused(kept.refusals);
  expect(removed.refusals).toEqual([]);
});

test('the credential of a long answer is checked until its connection closes, and not if it has closed', async () => {
  let queries = 0;
  let checks = 0;
  const pool = {
    async any() {
      queries += 1;
      return [];
    },
  } as unknown as DatabasePool;
  const streamLeases = {
    async findSurplus() {
      checks += 1;
      return surplus;
    },
  };
  const watching = new AccessWatch({ pool, keyUsage, streamLeases, clock, log: captureLog().log });
  const untilChecked = async () => {
    checks = 0;
    await until('a regular check', async () => {
      await clock.advance(2000);
      return checks > 0;
    });
  };
  const closing = new AbortController();
  const answer = watching.watchAnswer({ key: keyId }, closing.signal);
  watching.start();
  await untilChecked();
  expect(answer.reason).toMatchObject({ code: 'invalid_api_key' });
  closing.abort();
  watching.watchAnswer({ key: keyId }, closing.signal);
  queries = 0;
  await untilChecked();
  expect(queries).toBe(0);
  await watching.stop();
});

test('INV-15: the streams whose leases are surplus end at the regular check, and others continue', async () => {
  const [old, young, poll, older] = [watch('old'), watch('young'), watch(), watch('older')];
  surplus = new Set(['older', 'old']);
  await untilRefused(old.refusals);
  surplus = new Set();
  for (const { refusals } of [old, older]) expect(refusals).toContain('plan_changed');
  expect([...young.refusals, ...poll.refusals]).toEqual([]);
});
