import type { ClientBase, Pool } from 'pg';
import { generateToken, hashToken } from '../../schemas/console-token.ts';
import type { Role } from '../../schemas/vocabulary.ts';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import { findAccountId } from './accounts.ts';

/** How long a session lasts, in hours. */
const SESSION_HOURS = 12;

/** The person of a session: a provider's person, or the name and role from a link. */
export type SessionPerson = { personId: number } | { linkPerson: string; linkRole: Role };

/** Starts a session. @returns the session's token, stored only as a hash */
export async function startSession(
  client: ClientBase,
  { accountId, ...person }: SessionPerson & { accountId: number },
): Promise<string> {
  const token = generateToken();
  const values =
    'personId' in person ? [person.personId, null, null] : [null, person.linkPerson, person.linkRole];
  await client.query(
    `INSERT INTO console_sessions (hash, account_id, person_id, link_person, link_role, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 hour')`,
    [hashToken(token), accountId, ...values, SESSION_HOURS],
  );
  return token;
}

/** Ends the session of a token, if it exists. */
export async function endSession(client: ClientBase | Pool, token: string): Promise<void> {
  await client.query('DELETE FROM console_sessions WHERE hash = $1', [hashToken(token)]);
}

/**
 * Makes a session show another account, which the person's next session begins with. The caller has checked
 * that the person may see it.
 */
export async function switchSession(
  client: ClientBase | Pool,
  sessionId: number,
  accountId: number,
): Promise<void> {
  await client.query(
    `WITH session AS (UPDATE console_sessions SET account_id = $2 WHERE id = $1 RETURNING person_id)
     UPDATE people SET last_account_id = $2 FROM session WHERE id = session.person_id`,
    [sessionId, accountId],
  );
}

/**
 * Ends the sessions of an account or of a person, named as in the audit log in any case, and their unused links.
 *
 * @returns the number of ended sessions; null if the account does not exist
 */
export async function endSessions(
  client: ClientBase,
  whose: { account: string } | { person: string },
  actor: Actor,
): Promise<number | null> {
  const accountId = 'account' in whose ? await findAccountId(client, whose.account) : null;
  if ('account' in whose && accountId === null) return null;
  const person = 'person' in whose ? whose.person : null;
  await client.query('DELETE FROM console_links WHERE account_id = $1 OR lower(person) = lower($2)', [
    accountId,
    person,
  ]);
  const { rowCount } = await client.query(
    `DELETE FROM console_sessions WHERE account_id = $1 OR lower(link_person) = lower($2)
       OR person_id IN (SELECT id FROM people WHERE email = lower($2))`,
    [accountId, person],
  );
  const count = rowCount ?? 0;
  await recordAudit(client, actor, {
    action: 'sessions.ended',
    subject: 'account' in whose ? `account ${whose.account}` : `person ${whose.person}`,
    ...(accountId !== null && { accountId }),
    details: { count },
  });
  return count;
}

/** Deletes expired sessions, links, invitations and sign-ins. */
export async function forgetExpired(client: ClientBase | Pool): Promise<void> {
  await client.query(
    `WITH sessions AS (DELETE FROM console_sessions WHERE expires_at <= now()),
       links AS (DELETE FROM console_links WHERE expires_at <= now()),
       invitations AS (DELETE FROM console_invitations WHERE expires_at <= now() AND accepted_at IS NULL)
     DELETE FROM console_sign_ins WHERE expires_at <= now()`,
  );
}
