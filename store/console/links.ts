import type { ClientBase, Pool } from 'pg';
import { generateToken, hashToken } from '../../schemas/console-token.ts';
import type { Role } from '../../schemas/vocabulary.ts';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import { findAccountId } from './accounts.ts';

/** How long a link can be used, in minutes. */
export const LINK_MINUTES = 15;

/** A link that signs a person in once. */
export interface ConsoleLink {
  accountId: number;
  account: string;
  role: Role;
  /** The name of its user in the audit log. */
  person: string;
  isSuspended: boolean;
}

/**
 * Makes a link, within the caller's transaction.
 *
 * @returns its token, stored only as a hash; null if the account does not exist
 */
export async function createLink(
  client: ClientBase,
  { account, role, person }: Pick<ConsoleLink, 'account' | 'role' | 'person'>,
  actor: Actor,
): Promise<string | null> {
  const accountId = await findAccountId(client, account);
  if (accountId === null) return null;
  const token = generateToken();
  await client.query(
    `INSERT INTO console_links (hash, account_id, role, person, expires_at)
     VALUES ($1, $2, $3, $4, now() + $5 * interval '1 minute')`,
    [hashToken(token), accountId, role, person, LINK_MINUTES],
  );
  await recordAudit(client, actor, {
    action: 'link.created',
    subject: `account ${account}`,
    accountId,
    details: { role, for: person },
  });
  return token;
}

const VALID = 'hash = $1 AND expires_at > now()';
const FIELDS = `l.account_id AS "accountId", a.name AS account, l.role, l.person, a.suspended_at IS NOT NULL AS "isSuspended"`;

/** Finds a usable link, and leaves it usable. */
export async function findLink(client: ClientBase | Pool, token: string): Promise<ConsoleLink | null> {
  const { rows } = await client.query<ConsoleLink>(
    `SELECT ${FIELDS} FROM console_links l JOIN accounts a ON a.id = l.account_id WHERE ${VALID}`,
    [hashToken(token)],
  );
  return rows[0] ?? null;
}

/** Uses up a link; only one of several concurrent calls succeeds. @returns null if it was used or has expired */
export async function useLink(client: ClientBase, token: string): Promise<ConsoleLink | null> {
  const { rows } = await client.query<ConsoleLink>(
    `DELETE FROM console_links l USING accounts a WHERE ${VALID} AND a.id = l.account_id RETURNING ${FIELDS}`,
    [hashToken(token)],
  );
  return rows[0] ?? null;
}
