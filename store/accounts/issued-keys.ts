import type { ClientBase } from 'pg';
import { generateApiKey, hashApiKey } from '../../schemas/api-key.ts';
import type { Scope } from '../../schemas/vocabulary.ts';
import { ensureAccount } from './accounts.ts';
import { type Actor, recordAudit } from './audit-log.ts';

export interface NewKey {
  /** The account's name. It is created if it does not exist. */
  account: string;
  plan: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

export interface IssuedKey {
  id: number;
  /** The key's text, of which only the hash is stored. */
  key: string;
}

/** A row of `ops keys list`. */
export interface KeySummary {
  id: number;
  account: string;
  plan: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Accurate to about a minute. */
  lastUsedAt: Date | null;
}

/**
 * Issues a key to an account, within the caller's transaction.
 *
 * @throws PlanMismatchError if the plan does not exist, or the account is on another plan.
 */
export async function issueKey(
  client: ClientBase,
  { account, plan, scopes, expiresAt }: NewKey,
  actor: Actor,
): Promise<IssuedKey> {
  const accountId = await ensureAccount(client, { name: account, plan }, actor);
  const key = generateApiKey();
  const issued = await client.query<{ id: number }>(
    'INSERT INTO api_keys (account_id, hash, scopes, expires_at) VALUES ($1, $2, $3, $4) RETURNING id',
    [accountId, hashApiKey(key), scopes, expiresAt],
  );
  const id = Number(issued.rows[0]?.id);
  await recordAudit(client, actor, {
    action: 'key.created',
    subject: `key ${id}`,
    details: { account, scopes, expires_at: expiresAt },
  });
  return { id, key };
}

/** Every key, revoked ones included, by account and age, without its text. */
export async function listKeys(client: ClientBase): Promise<KeySummary[]> {
  const { rows } = await client.query<KeySummary>(
    `SELECT k.id, a.name AS account, a.plan, k.scopes, k.created_at AS "createdAt", k.expires_at AS "expiresAt",
       k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"
     FROM api_keys k JOIN accounts a ON a.id = k.account_id ORDER BY a.name, k.id`,
  );
  return rows;
}

/**
 * Revokes a key. Revoking again keeps the first time and records nothing.
 *
 * @returns false if there is no such key.
 */
export async function revokeKey(client: ClientBase, id: number, actor: Actor): Promise<boolean> {
  const { rows } = await client.query<{ revoked: boolean; account: string }>(
    `SELECT k.revoked_at IS NOT NULL AS revoked, a.name AS account
     FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1 FOR UPDATE OF k`,
    [id],
  );
  const key = rows[0];
  if (key?.revoked !== false) return key !== undefined;
  await client.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
  await recordAudit(client, actor, {
    action: 'key.revoked',
    subject: `key ${id}`,
    details: { account: key.account },
  });
  return true;
}

/** Whether the key can be used now. */
export async function isUsableKey(client: ClientBase, key: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.hash = $1 AND k.revoked_at IS NULL AND a.suspended_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())`,
    [hashApiKey(key)],
  );
  return rowCount === 1;
}
