import type { ClientBase } from 'pg';
import { generateApiKey, hashApiKey } from '../../schemas/api-key.ts';
import type { Scope } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { ensureAccount } from './accounts.ts';
import { type Actor, recordAudit } from './audit-log.ts';
import { countUsableKeys } from './listed-keys.ts';

/** The most keys of an account that are neither revoked nor expired (INV-15). */
const MAX_USABLE_KEYS = 100;

/** The account has as many usable keys as it may have. */
export class TooManyKeysError extends OperatorError {
  override name = 'TooManyKeysError';

  constructor(account: string) {
    super(
      `Account "${account}" has ${MAX_USABLE_KEYS} usable keys, which is the most an account can have: revoke one first.`,
    );
  }
}

/** The properties of a new key. */
export interface KeyGrant {
  /** A name for people; may be empty. */
  name?: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
  /** The key that it replaces. */
  replaces?: number | null;
  /** The UUID of the form that asks for it: a form sent twice makes one key. */
  formId?: string | null;
}

export interface NewKey extends KeyGrant {
  /** The account's name. A missing account is created. */
  account: string;
  plan: string;
}

export interface IssuedKey {
  id: number;
  /** The key's text. Only its hash is stored. */
  key: string;
}

/**
 * Issues a key to an account, within the caller's transaction.
 *
 * @throws PlanMismatchError if the plan does not exist, or the account is on another plan.
 * @throws TooManyKeysError if the account has 100 usable keys.
 */
export async function issueKey(
  client: ClientBase,
  { account, plan, ...grant }: NewKey,
  actor: Actor,
): Promise<IssuedKey> {
  const accountId = await ensureAccount(client, { name: account, plan }, actor);
  const issued = await issueKeyOf(client, { id: accountId, name: account }, grant, actor);
  if (!issued) throw new Error('A key without a form is always issued.');
  return issued;
}

/**
 * Issues a key to an existing account, within the caller's transaction.
 *
 * @returns null if its form has made a key already
 * @throws TooManyKeysError if the account has 100 usable keys. The transaction must then be rolled back.
 */
export async function issueKeyOf(
  client: ClientBase,
  account: { id: number; name: string },
  { name = '', scopes, expiresAt, replaces = null, formId = null }: KeyGrant,
  actor: Actor,
): Promise<IssuedKey | null> {
  const key = generateApiKey();
  // The lock makes requests for keys of the account take turns, so that each counts those before it.
  await client.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [account.id]);
  const issued = await client.query<{ id: number }>(
    `INSERT INTO api_keys (account_id, hash, scopes, expires_at, name, replaces, form_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (form_id) DO NOTHING RETURNING id`,
    [account.id, hashApiKey(key), scopes, expiresAt, name, replaces, formId],
  );
  if (!issued.rows[0]) return null;
  if ((await countUsableKeys(client, account.id)) > MAX_USABLE_KEYS) throw new TooManyKeysError(account.name);
  const { id } = issued.rows[0];
  await recordAudit(client, actor, {
    action: 'key.created',
    subject: `key ${id}`,
    accountId: account.id,
    details: {
      account: account.name,
      scopes,
      expires_at: expiresAt,
      ...(name !== '' && { name }),
      ...(replaces !== null && { replaces }),
    },
  });
  return { id, key };
}

/**
 * Revokes a key. Revoking again keeps the first time and records nothing.
 *
 * @param accountId the account that it must belong to; any if omitted
 * @returns false if the key does not exist.
 */
export async function revokeKey(
  client: ClientBase,
  id: number,
  actor: Actor,
  accountId?: number,
): Promise<boolean> {
  const { rows } = await client.query<{ revoked: boolean; account: string; accountId: number }>(
    `SELECT k.revoked_at IS NOT NULL AS revoked, a.name AS account, a.id AS "accountId"
     FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.id = $1 AND ($2::int IS NULL OR a.id = $2) FOR UPDATE OF k`,
    [id, accountId ?? null],
  );
  const key = rows[0];
  if (key?.revoked !== false) return key !== undefined;
  await client.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
  await recordAudit(client, actor, {
    action: 'key.revoked',
    subject: `key ${id}`,
    accountId: key.accountId,
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
