import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Authenticator } from '../../../gateway/auth/authentication.ts';
import { KeyUsage } from '../../../gateway/auth/key-usage.ts';
import { createKey } from '../../../ops/commands/keys.ts';
import { generateApiKey } from '../../../schemas/api-key.ts';
import { createLog } from '../../../service/log.ts';
import { findKeyStates } from '../../../store/access/api-keys.ts';
import { createSeverablePool, type SeverablePool } from '../../helpers/faults/severable-pool.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';
import { until } from '../../helpers/until.ts';

const MINUTE_MS = 60_000;

const database = useTestDatabase();
const { client } = database;
let severable: SeverablePool;
let clock: ManualClock;
let authenticator: Authenticator;

beforeAll(async () => {
  severable = await createSeverablePool(database.url);
});
afterAll(async () => {
  await severable.close();
});
beforeEach(() => {
  severable.way.mend();
  clock = new ManualClock();
  authenticator = new Authenticator(severable.pool, clock, createLog('test', 'silent'));
});

const newKey = () => createKey({ databaseUrl: database.url, account: 'acme', plan: 'free' });
const authenticate = (key: string) => authenticator.authenticate(`Bearer ${key}`);

describe('keys are remembered', () => {
  test('for two seconds, then looked up again, once for all waiting requests', async () => {
    const key = await newKey();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(key)));
    const before = severable.queries;
    await authenticate(key);
    expect(severable.queries).toBe(before);
    await clock.advance(2000);
    await Promise.all(Array.from({ length: 50 }, () => authenticate(key)));
    expect(severable.queries).toBe(before + 1);
  });

  test('with the limits of their plan, and a change of plan takes effect after two seconds', async () => {
    const key = await newKey();
    const { requestsPerMinute, requestsPerDay, maxStreams } = await authenticate(key);
    expect([requestsPerMinute, requestsPerDay, maxStreams]).toEqual([60, 5000, 1]);
    await client.query(`UPDATE accounts SET plan = 'partner' WHERE name = 'acme'`);
    await clock.advance(2000);
    expect((await authenticate(key)).requestsPerMinute).toBe(6000);
    await client.query(`UPDATE accounts SET plan = 'free' WHERE name = 'acme'`);
  });

  test('and a scope that a newer version gave to a key during an upgrade does not count', async () => {
    const key = await newKey();
    const { scopes } = await authenticate(key);
    await client.query(`ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
      UPDATE api_keys SET scopes = scopes || '{maps:read}'`);
    await clock.advance(2000);
    expect((await authenticate(key)).scopes).toEqual(scopes);
  });

  test('and looked up again after the clock was set back, also right after an outage', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const { id } = await authenticate(first);
    const revoke = (revoked: number) =>
      client.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [revoked]);
    await revoke(id);
    await clock.advance(-60 * MINUTE_MS);
    await expect(authenticate(first)).rejects.toMatchObject({ code: 'revoked_api_key' });

    const other = await authenticate(second);
    severable.way.sever();
    await clock.advance(2000);
    await authenticate(second);
    severable.way.mend();
    await clock.advance(-60 * MINUTE_MS);
    await authenticate(second);
    await revoke(other.id);
    await clock.advance(2000);
    await expect(authenticate(second)).rejects.toMatchObject({ code: 'revoked_api_key' });
  });

  test('and made-up keys do not evict real ones', async () => {
    const key = await newKey();
    await authenticate(key);
    const made = Array.from({ length: 6000 }, generateApiKey);
    await Promise.allSettled(made.map(authenticate));
    severable.way.sever();
    await clock.advance(3000);
    await expect(authenticate(key)).resolves.toMatchObject({ account: 'acme' });
  });
});

describe('while the database does not answer', () => {
  test('known keys work for ten minutes, and unknown ones get server_busy', async () => {
    const key = await newKey();
    await authenticate(key);
    severable.way.sever();
    await clock.advance(9 * MINUTE_MS);
    await expect(authenticate(key)).resolves.toMatchObject({ account: 'acme' });
    await expect(authenticate(generateApiKey())).rejects.toMatchObject({ code: 'server_busy' });
    await clock.advance(MINUTE_MS);
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'server_busy' });
    severable.way.mend();
    await clock.advance(1000);
    await until('the store answers', () => authenticate(key).then(Boolean, () => false));
  });

  test('a key that was deleted before does not work again', async () => {
    const key = await newKey();
    const { id } = await authenticate(key);
    await client.query('DELETE FROM api_keys WHERE id = $1', [id]);
    await clock.advance(2000);
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'invalid_api_key' });
    severable.way.sever();
    await clock.advance(2000);
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'server_busy' });
  });

  test('a key that was unknown before works', async () => {
    const key = generateApiKey();
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await client.query(
      `INSERT INTO api_keys (account_id, hash, scopes)
       SELECT id, sha256($1), '{stream:read}' FROM accounts WHERE name = 'acme'`,
      [Buffer.from(key)],
    );
    await clock.advance(2000);
    await authenticate(key);
    severable.way.sever();
    await clock.advance(2000);
    await expect(authenticate(key)).resolves.toMatchObject({ account: 'acme' });
  });

  test('it is asked once a second, for any number of requests', async () => {
    const key = await newKey();
    await authenticate(key);
    severable.way.sever();
    await clock.advance(2000);
    const asked = jest.spyOn(severable.pool, 'maybeOne');
    for (let second = 1; second <= 3; second += 1) {
      for (let i = 0; i < 500; i += 1) await authenticate(key);
      await clock.advance(999);
      for (let i = 0; i < 500; i += 1) await authenticate(key);
      expect(asked).toHaveBeenCalledTimes(second);
      await clock.advance(1);
    }
    asked.mockRestore();
  });
});

describe('the last use of a key', () => {
  test('is saved once a minute for all keys at once, and at the end', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const ids = [(await authenticate(first)).id, (await authenticate(second)).id];
    const usage = new KeyUsage(severable.pool, clock, createLog('test', 'silent'));
    const noted = async () => {
      const { rows } = await client.query<{ at: Date | null }>(
        'SELECT last_used_at AS at FROM api_keys WHERE id = ANY($1) ORDER BY id',
        [ids],
      );
      return rows.map(({ at }) => at?.getTime() ?? null);
    };
    usage.start();
    const start = clock.now();
    const before = severable.queries;
    for (let i = 0; i < 1000; i += 1) for (const id of ids) usage.note(id);
    await clock.advance(MINUTE_MS - 1);
    expect(await noted()).toEqual([null, null]);
    await clock.advance(1);
    await until('the note', async () => (await noted())[0] === start);
    expect(await noted()).toEqual([start, start]);
    expect(severable.queries).toBe(before + 1);
    usage.note(ids[1] ?? 0);
    await usage.stop();
    expect(await noted()).toEqual([start, start + MINUTE_MS]);
  });
});

test('a use during a save is saved by the next one', async () => {
  const [first, second] = [await authenticate(await newKey()), await authenticate(await newKey())];
  const pool: typeof severable.pool = {
    ...severable.pool,
    async query(statement) {
      usage.note(second.id);
      return severable.pool.query(statement);
    },
  };
  const usage = new KeyUsage(pool, clock, createLog('test', 'silent'));
  const isSaved = async (id: number) => {
    const { rows } = await client.query('SELECT last_used_at FROM api_keys WHERE id = $1', [id]);
    return rows[0].last_used_at !== null;
  };
  usage.start();
  usage.note(first.id);
  await clock.advance(MINUTE_MS);
  await until('the first save', () => isSaved(first.id));
  await usage.stop();
  expect(await isSaved(second.id)).toBe(true);
});

test('a use during a save that fails is saved by the next one', async () => {
  const { id } = await authenticate(await newKey());
  let fails = true;
  const pool: typeof severable.pool = {
    ...severable.pool,
    async query(statement) {
      if (!fails) return severable.pool.query(statement);
      fails = false;
      usage.note(id);
      throw new Error('away');
    },
  };
  const usage = new KeyUsage(pool, clock, createLog('test', 'silent'));
  usage.start();
  usage.note(id);
  await clock.advance(MINUTE_MS);
  expect(fails).toBe(false);
  await usage.stop();
  const { rows } = await client.query('SELECT last_used_at FROM api_keys WHERE id = $1', [id]);
  expect(rows[0].last_used_at).not.toBeNull();
});

test('the states of many keys are found in one query', async () => {
  const keys = await Promise.all([newKey(), newKey(), newKey()]);
  const [usable = 0, revoked = 0, expiring = 0] = (await Promise.all(keys.map(authenticate))).map(
    ({ id }) => id,
  );
  await client.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [revoked]);
  await client.query(`UPDATE api_keys SET expires_at = '2030-01-01Z' WHERE id = $1`, [expiring]);
  const fine = { revoked: false, suspended: false, expiresAt: null };
  expect(await findKeyStates(severable.pool, [usable, revoked, expiring, 2_000_000_000])).toEqual(
    new Map([
      [usable, { id: usable, ...fine }],
      [revoked, { id: revoked, ...fine, revoked: true }],
      [expiring, { id: expiring, ...fine, expiresAt: Date.parse('2030-01-01Z') }],
    ]),
  );
  await client.query('UPDATE accounts SET suspended_at = now()');
  expect((await findKeyStates(severable.pool, [usable])).get(usable)?.suspended).toBe(true);
  await client.query('UPDATE accounts SET suspended_at = NULL');
});
