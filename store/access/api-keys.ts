import { z } from 'zod';
import { SCOPES } from '../../schemas/vocabulary.ts';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';

const KEY_STATE = sql.fragment`k.id, (extract(epoch FROM k.expires_at) * 1000)::bigint AS "expiresAt",
  k.revoked_at IS NOT NULL AS revoked, a.suspended_at IS NOT NULL AS suspended`;

const limit = z.number().nullable();

const keyRow = z.object({
  id: z.number(),
  accountId: z.number(),
  account: z.string(),
  plan: z.string(),
  /** Without those of a newer version, which can be running beside this one. */
  scopes: z.array(z.string()).transform((given) => SCOPES.filter((scope) => given.includes(scope))),
  /** Milliseconds since 1970. */
  expiresAt: z.number().nullable(),
  revoked: z.boolean(),
  suspended: z.boolean(),
  /** The limits of the account's plan; null is unlimited. */
  requestsPerMinute: limit,
  requestsPerDay: limit,
  maxStreams: limit,
});

/** An API key, with its account and the limits of the account's plan. */
export type StoredKey = z.infer<typeof keyRow>;

/** Finds a key by the SHA-256 of its text; null if the key is unknown. */
export async function findKey(pool: DatabasePool, hash: Buffer): Promise<StoredKey | null> {
  return pool.maybeOne(sql.type(keyRow)`
    SELECT ${KEY_STATE}, a.id AS "accountId", a.name AS account, a.plan, k.scopes,
      p.requests_per_minute AS "requestsPerMinute", p.requests_per_day AS "requestsPerDay",
      p.max_streams AS "maxStreams"
    FROM api_keys k JOIN accounts a ON a.id = k.account_id JOIN plans p ON p.name = a.plan
    WHERE k.hash = ${sql.binary(hash)}`);
}

const stateRow = keyRow.pick({ id: true, expiresAt: true, revoked: true, suspended: true });

/** Everything that can end the use of a key. */
export type KeyState = z.infer<typeof stateRow>;

/** The states of many keys at once, by key id. Unknown keys are left out. */
export async function findKeyStates(
  pool: Pick<DatabasePool, 'any'>,
  ids: readonly number[],
): Promise<Map<number, KeyState>> {
  const rows = await pool.any(sql.type(stateRow)`
    SELECT ${KEY_STATE}
    FROM api_keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.id = ANY(${sql.array(ids, 'int4')})`);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Records when keys were last used. Keeps a later time that another gateway recorded. Gateways lock the keys in the same
 * order, so that they cannot deadlock.
 *
 * @param uses milliseconds since 1970, by key id.
 */
export async function noteKeyUses(pool: DatabasePool, uses: ReadonlyMap<number, number>): Promise<void> {
  const times = [...uses.values()].map((time) => time / 1000);
  await pool.query(sql.type(noRow)`
    WITH later AS (
      SELECT k.id, to_timestamp(used.at) AS at
      FROM unnest(${sql.array([...uses.keys()], 'int4')}, ${sql.array(times, 'float8')}) AS used (id, at)
        JOIN api_keys k USING (id)
      WHERE k.last_used_at IS NULL OR k.last_used_at < to_timestamp(used.at)
      ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE api_keys k SET last_used_at = later.at FROM later WHERE k.id = later.id`);
}
