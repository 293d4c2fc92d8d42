import type { ClientBase, Pool } from 'pg';
import type { Scope } from '../../schemas/vocabulary.ts';

/** A key in a list, without its text. */
export interface KeySummary {
  id: number;
  /** Empty if it has no name. */
  name: string;
  account: string;
  plan: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Accurate to about a minute. */
  lastUsedAt: Date | null;
  /** The id of the key that it replaces. */
  replaces: number | null;
}

const SUMMARY = `k.id, k.name, a.name AS account, a.plan, k.scopes, k.created_at AS "createdAt",
  k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt", k.replaces`;

/** Neither revoked nor expired. */
const isUsable = (key: string): string =>
  `(${key}.revoked_at IS NULL AND (${key}.expires_at IS NULL OR ${key}.expires_at > now()))`;

/** Every key of every account, including revoked ones, by account and age. */
export async function listKeys(client: ClientBase | Pool): Promise<KeySummary[]> {
  const { rows } = await client.query<KeySummary>(
    `SELECT ${SUMMARY} FROM api_keys k JOIN accounts a ON a.id = k.account_id ORDER BY a.name, k.id`,
  );
  return rows;
}

/** A key's place in the list of its account. */
export interface KeyPlace {
  isOver: boolean;
  id: number;
}

export interface KeyPage {
  keys: KeySummary[];
  /** The place after which the next page begins; null on the last page. */
  next: KeyPlace | null;
}

/**
 * Lists the keys of an account: the usable ones before those that are revoked or expired, the newest first.
 *
 * @param limit the most keys of the page, at least 1
 * @param after the previous page's `next`; null for the first page
 */
export async function listKeysOf(
  client: ClientBase | Pool,
  accountId: number,
  { limit, after }: { limit: number; after: KeyPlace | null },
): Promise<KeyPage> {
  const { rows } = await client.query<KeySummary & KeyPlace>(
    `SELECT * FROM (
       SELECT ${SUMMARY}, NOT ${isUsable('k')} AS "isOver"
       FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.account_id = $1) AS key
     WHERE $2::boolean IS NULL OR ("isOver", -id) > ($2, -$3::int)
     ORDER BY "isOver", id DESC LIMIT $4`,
    [accountId, after?.isOver ?? null, after?.id ?? null, limit + 1],
  );
  const keys = rows.slice(0, limit);
  const last = keys.at(-1);
  return { keys, next: rows.length > limit && last ? { isOver: last.isOver, id: last.id } : null };
}

/** Finds a key of an account; null if the account has no such key. */
export async function findKeyOf(
  client: ClientBase | Pool,
  accountId: number,
  id: number,
): Promise<KeySummary | null> {
  const { rows } = await client.query<KeySummary>(
    `SELECT ${SUMMARY} FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.account_id = $1 AND k.id = $2`,
    [accountId, id],
  );
  return rows[0] ?? null;
}

export async function countUsableKeys(client: ClientBase | Pool, accountId: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM api_keys k WHERE k.account_id = $1 AND ${isUsable('k')}`,
    [accountId],
  );
  return rows[0]?.count ?? 0;
}

/** The usable keys of an account that a usable key has replaced and that were used since, by age: at most 20. */
export async function listBusyPredecessors(
  client: ClientBase | Pool,
  accountId: number,
): Promise<KeySummary[]> {
  const { rows } = await client.query<KeySummary>(
    `SELECT ${SUMMARY} FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.account_id = $1 AND ${isUsable('k')} AND EXISTS (
       SELECT FROM api_keys n
       WHERE n.account_id = $1 AND n.replaces = k.id AND ${isUsable('n')} AND k.last_used_at > n.created_at)
     ORDER BY k.id LIMIT 20`,
    [accountId],
  );
  return rows;
}
