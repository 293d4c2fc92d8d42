import type { ClientBase, Pool } from 'pg';
import { normalizeText } from '../../schemas/text.ts';
import { type Actor, recordAudit } from './audit-log.ts';
import { PlanMismatchError, requirePlan } from './plans.ts';

/** An account in a list. */
export interface AccountSummary {
  id: number;
  name: string;
  plan: string;
  createdAt: Date;
  suspendedAt: Date | null;
  /** The number of its usable keys. */
  usableKeys: number;
  /** The number of endorsers for which it may publish. */
  endorsers: number;
}

/**
 * Returns the id of the account of this name, and creates it if it does not exist.
 *
 * @throws PlanMismatchError if the plan does not exist, or the account is on another plan.
 */
export async function ensureAccount(
  client: ClientBase,
  { name: given, plan }: { name: string; plan: string },
  actor: Actor,
): Promise<number> {
  const name = normalizeText(given);
  await requirePlan(client, plan);
  const made = await client.query<{ id: number }>(
    'INSERT INTO accounts (name, plan) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING id',
    [name, plan],
  );
  if (made.rows[0]) {
    await recordAudit(client, actor, {
      action: 'account.created',
      subject: `account ${name}`,
      accountId: made.rows[0].id,
      details: { plan },
    });
    return made.rows[0].id;
  }
  const { rows } = await client.query<{ id: number; plan: string }>(
    'SELECT id, plan FROM accounts WHERE name = $1',
    [name],
  );
  if (rows[0]?.plan !== plan) {
    throw new PlanMismatchError(`Account "${name}" is on plan "${rows[0]?.plan}", not "${plan}".`);
  }
  return rows[0].id;
}

export interface AccountSearch {
  /** A part of the name, as searches compare names. */
  contains?: string;
  /** Only the account of this id, or of this name. */
  id?: number;
  name?: string;
  /** Only accounts after this name. */
  after?: string;
  /** The most accounts. */
  limit?: number;
}

/** The matching accounts, by name; all accounts without a search. */
export async function listAccounts(
  client: ClientBase | Pool,
  { contains, id, name, after, limit }: AccountSearch = {},
): Promise<AccountSummary[]> {
  const { rows } = await client.query<AccountSummary>(
    `SELECT a.id, a.name, a.plan, a.created_at AS "createdAt", a.suspended_at AS "suspendedAt",
       (SELECT count(*)::int FROM api_keys k
        WHERE k.account_id = a.id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
          AND a.suspended_at IS NULL) AS "usableKeys",
       (SELECT count(*)::int FROM account_endorsers e WHERE e.account_id = a.id) AS endorsers
     FROM accounts a
     WHERE ($1::text IS NULL OR strpos(name_search(a.name), name_search($1)) > 0) AND ($2::int IS NULL OR a.id = $2)
       AND ($3::text IS NULL OR a.name > $3) AND ($5::text IS NULL OR a.name = $5)
     ORDER BY a.name LIMIT $4`,
    [
      contains ?? null,
      id ?? null,
      after ?? null,
      limit ?? null,
      name === undefined ? null : normalizeText(name),
    ],
  );
  return rows;
}

/**
 * Suspends or resumes an account. Its webhooks get no test that was asked for before it is resumed. Writes nothing to
 * the audit log if the state stays the same.
 *
 * @returns false if the account does not exist.
 */
export async function setAccountSuspended(
  client: ClientBase,
  given: string,
  suspended: boolean,
  actor: Actor,
): Promise<boolean> {
  const name = normalizeText(given);
  const { rows } = await client.query<{ id: number; suspended: boolean }>(
    'SELECT id, suspended_at IS NOT NULL AS suspended FROM accounts WHERE name = $1 FOR NO KEY UPDATE',
    [name],
  );
  if (!rows[0] || rows[0].suspended === suspended) return rows[0] !== undefined;
  await client.query('UPDATE accounts SET suspended_at = CASE WHEN $2 THEN now() END WHERE name = $1', [
    name,
    suspended,
  ]);
  if (!suspended) {
    // Nobody expects the tests any more that were asked for before the suspension.
    await client.query(
      'UPDATE webhooks SET test_message = NULL WHERE account_id = $1 AND test_message IS NOT NULL',
      [rows[0].id],
    );
  }
  const action = suspended ? 'account.suspended' : 'account.resumed';
  await recordAudit(client, actor, { action, subject: `account ${name}`, accountId: rows[0].id });
  return true;
}

/** The account's plan changed after the operator read it. */
export class AccountMovedError extends Error {
  override name = 'AccountMovedError';
}

/**
 * Moves an account to another plan.
 *
 * @param seen the required present plan; null accepts any
 * @returns false if the account does not exist.
 * @throws PlanMismatchError if the plan does not exist.
 * @throws AccountMovedError if the present plan is not `seen`.
 */
export async function setAccountPlan(
  client: ClientBase,
  given: string,
  plan: string,
  actor: Actor,
  seen: string | null = null,
): Promise<boolean> {
  const name = normalizeText(given);
  await requirePlan(client, plan);
  const { rows } = await client.query<{ id: number; plan: string }>(
    'SELECT id, plan FROM accounts WHERE name = $1 FOR NO KEY UPDATE',
    [name],
  );
  if (!rows[0]) return false;
  const { id: accountId, plan: from } = rows[0];
  if (from === plan) return true;
  if (seen !== null && from !== seen) throw new AccountMovedError();
  await client.query('UPDATE accounts SET plan = $2 WHERE name = $1', [name, plan]);
  await recordAudit(client, actor, {
    action: 'account.plan_changed',
    subject: `account ${name}`,
    accountId,
    details: { from, to: plan },
  });
  return true;
}
