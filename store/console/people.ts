import type { ClientBase } from 'pg';
import type { Role } from '../../schemas/vocabulary.ts';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import { endInvitationsBy } from './open-invitations.ts';

/** A person as the provider describes them. */
export interface Identity {
  issuer: string;
  /** The provider's name for the person, which never changes. */
  subject: string;
  /** Verified by the provider, in lower case. */
  email: string;
  name: string;
}

/**
 * Finds a known person, and refreshes their address and name, also in the open invitations that they made.
 *
 * @returns the person's id; null for a stranger: nothing about strangers is stored
 */
export async function refreshPerson(client: ClientBase, identity: Identity): Promise<number | null> {
  const { issuer, subject, email, name } = identity;
  const { rows } = await client.query<{ id: number }>(
    `WITH known AS (
       SELECT email FROM people WHERE issuer = $1 AND subject = $2
     ), renamed AS (
       UPDATE console_invitations SET invited_by = $3 FROM known
       WHERE invited_by = known.email AND known.email <> $3 AND accepted_at IS NULL)
     UPDATE people SET email = $3, name = $4 WHERE issuer = $1 AND subject = $2
     RETURNING id`,
    [issuer, subject, email, name],
  );
  return rows[0]?.id ?? null;
}

/** Finds a person, or makes them known. @returns the person's id */
export async function ensurePerson(client: ClientBase, identity: Identity): Promise<number> {
  const known = await refreshPerson(client, identity);
  if (known !== null) return known;
  const { issuer, subject, email, name } = identity;
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO people (issuer, subject, email, name) VALUES ($1, $2, $3, $4)
     ON CONFLICT (issuer, subject) DO UPDATE SET email = $3, name = $4
     RETURNING id`,
    [issuer, subject, email, name],
  );
  if (!rows[0]) throw new Error('An upsert returned no row.');
  return rows[0].id;
}

/** The first account of a person's session. */
export interface FirstAccount {
  id: number;
  name: string;
  role: Role;
  isSuspended: boolean;
}

/**
 * Chooses the first account of a person's session: accounts in use before suspended ones, then the one that
 * they saw last, then the first by name.
 *
 * @returns null if the person belongs to no account
 */
export async function findFirstAccount(client: ClientBase, personId: number): Promise<FirstAccount | null> {
  const { rows } = await client.query<FirstAccount>(
    `SELECT a.id, a.name, CASE WHEN p.is_operator THEN 'operator' ELSE m.role END AS role,
       a.suspended_at IS NOT NULL AS "isSuspended"
     FROM people p CROSS JOIN accounts a
       LEFT JOIN account_members m ON m.person_id = p.id AND m.account_id = a.id
     WHERE p.id = $1 AND (p.is_operator OR m.role IS NOT NULL)
     ORDER BY a.suspended_at IS NOT NULL, (a.id = p.last_account_id) DESC NULLS LAST, a.name
     LIMIT 1`,
    [personId],
  );
  return rows[0] ?? null;
}

/** Stores the account that a person sees, for their next session. */
export async function noteAccountSeen(
  client: ClientBase,
  personId: number,
  accountId: number,
): Promise<void> {
  await client.query('UPDATE people SET last_account_id = $2 WHERE id = $1', [personId, accountId]);
}

/**
 * Makes the operators of an address ordinary people. Ends their sessions and unused links, also those that name the
 * address, the open invitations that they may no longer make, and those to become an operator again. They stay members
 * of their accounts.
 *
 * @param email in lower case
 * @returns false if no operator has this address
 */
export async function removeOperator(client: ClientBase, email: string, actor: Actor): Promise<boolean> {
  // Comes first: it waits for an acceptance, which makes its person an operator.
  await client.query(
    `DELETE FROM console_invitations WHERE email = $1 AND role = 'operator' AND accepted_at IS NULL`,
    [email],
  );
  const { rows } = await client.query<{ id: number }>(
    'UPDATE people SET is_operator = false WHERE email = $1 AND is_operator RETURNING id',
    [email],
  );
  if (rows.length === 0) return false;
  await endInvitationsBy(client, email);
  await client.query('DELETE FROM console_links WHERE lower(person) = $1', [email]);
  await client.query('DELETE FROM console_sessions WHERE person_id = ANY($1) OR lower(link_person) = $2', [
    rows.map(({ id }) => id),
    email,
  ]);
  await recordAudit(client, actor, {
    action: 'person.removed',
    subject: `person ${email}`,
    details: { role: 'operator' },
  });
  return true;
}
