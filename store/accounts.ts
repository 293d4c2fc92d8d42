import type { ClientBase } from 'pg';
import { generateApiKey, hashApiKey } from '../schemas/api-key.ts';
import type { Scope } from '../schemas/vocabulary.ts';

export interface NewKey {
  /** Made where there is none of this name. */
  account: string;
  plan: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

export interface IssuedKey {
  id: number;
  /** The key's text, which is stored nowhere. */
  key: string;
}

/** What one row of `keys list` says. */
export interface KeySummary {
  id: number;
  account: string;
  plan: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** There is no plan of this name, or an account is on another plan than the one asked for. */
export class PlanMismatchError extends Error {
  override name = 'PlanMismatchError';
}

/**
 * Issues a key to an account, within the caller's transaction.
 *
 * @throws PlanMismatchError when the plan does not exist, or the account is there already with another plan.
 */
export async function issueKey(
  client: ClientBase,
  { account, plan, scopes, expiresAt }: NewKey,
): Promise<IssuedKey> {
  const plans = await client.query<{ name: string }>('SELECT name FROM plans ORDER BY name');
  if (!plans.rows.some((row) => row.name === plan)) {
    const names = plans.rows.map((row) => row.name).join(', ');
    throw new PlanMismatchError(`There is no plan "${plan}"; there are: ${names}.`);
  }
  await client.query('INSERT INTO accounts (name, plan) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    account,
    plan,
  ]);
  const { rows } = await client.query<{ id: number; plan: string }>(
    'SELECT id, plan FROM accounts WHERE name = $1',
    [account],
  );
  if (rows[0]?.plan !== plan) {
    throw new PlanMismatchError(`Account "${account}" is on plan "${rows[0]?.plan}", not "${plan}".`);
  }
  const key = generateApiKey();
  const issued = await client.query<{ id: number }>(
    'INSERT INTO api_keys (account_id, hash, scopes, expires_at) VALUES ($1, $2, $3, $4) RETURNING id',
    [rows[0].id, hashApiKey(key), scopes, expiresAt],
  );
  return { id: Number(issued.rows[0]?.id), key };
}

/** Every key there is, revoked ones included, by account and age. Never its text. */
export async function listKeys(client: ClientBase): Promise<KeySummary[]> {
  const { rows } = await client.query<KeySummary>(
    `SELECT k.id, a.name AS account, a.plan, k.scopes, k.created_at AS "createdAt", k.expires_at AS "expiresAt",
       k.revoked_at AS "revokedAt"
     FROM api_keys k JOIN accounts a ON a.id = k.account_id ORDER BY a.name, k.id`,
  );
  return rows;
}

/** @returns false when there is no such key. Revoking twice keeps the first time. */
export async function revokeKey(client: ClientBase, id: number): Promise<boolean> {
  const { rowCount } = await client.query(
    'UPDATE api_keys SET revoked_at = COALESCE(revoked_at, now()) WHERE id = $1',
    [id],
  );
  return rowCount === 1;
}

/** Whether the store knows this key as usable now. */
export async function isUsableKey(client: ClientBase, key: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.hash = $1 AND k.revoked_at IS NULL AND a.suspended_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())`,
    [hashApiKey(key)],
  );
  return rowCount === 1;
}
