import type { ClientBase, Pool } from 'pg';
import { generateToken, hashToken } from '../../schemas/console-token.ts';
import type { Role } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import { endInvitationsTo, OPEN } from './open-invitations.ts';
import { ensurePerson, type Identity, noteAccountSeen } from './people.ts';

/** How long an invitation can be accepted, in days. */
export const INVITATION_DAYS = 7;
/** The most open invitations of an account. */
export const MAX_INVITATIONS = 100;

/** An invitation to an account, as the invited person sees it. */
export interface Invitation {
  accountId: number;
  account: string;
  /** In lower case. */
  email: string;
  role: Role;
  /** The name of the inviting person. */
  invitedBy: string;
}

/** An open invitation in the list of an account. */
export interface OpenInvitation extends Pick<Invitation, 'email' | 'role' | 'invitedBy'> {
  id: number;
  expiresAt: Date;
}

/** The author is known by their address, and may not make the invitation: nobody could accept it. */
export class MayNotInviteError extends OperatorError {
  override name = 'MayNotInviteError';

  constructor({ account, role, invitedBy }: Pick<Invitation, 'account' | 'role' | 'invitedBy'>) {
    const needed =
      role === 'operator' ? 'an operator' : `an owner of the account "${account}" or an operator`;
    super(
      `${invitedBy} is not ${needed}, so nobody could accept the invitation: let somebody else make it, or change the role of ${invitedBy} first.`,
    );
  }
}

/**
 * Invites an address to an account. Ends an open invitation of the same address.
 *
 * @param email as parseEmailAddress returns it
 * @returns the invitation's token, stored only as a hash; null if the account has too many open invitations
 * @throws MayNotInviteError if the author is a known person without the right. The transaction must then be rolled back.
 */
export async function createInvitation(
  client: ClientBase,
  { accountId, account, email, role, invitedBy }: Invitation,
  actor: Actor,
): Promise<string | null> {
  // The lock makes concurrent invitations take turns, so that each counts those before it.
  await client.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  await endInvitationsTo(client, accountId, email);
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM console_invitations i WHERE account_id = $1 AND ${OPEN}`,
    [accountId],
  );
  if ((rows[0]?.count ?? 0) >= MAX_INVITATIONS) return null;
  const token = generateToken();
  const hash = hashToken(token);
  await client.query(
    `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 day')`,
    [hash, accountId, email, role, invitedBy, INVITATION_DAYS],
  );
  if (!(await findInvitation(client, hash))) throw new MayNotInviteError({ account, role, invitedBy });
  await recordAudit(client, actor, {
    action: 'person.invited',
    subject: `account ${account}`,
    accountId,
    details: { email, role },
  });
  return token;
}

/** The open invitations of an account, the newest first. */
export async function listInvitations(
  client: ClientBase | Pool,
  accountId: number,
): Promise<OpenInvitation[]> {
  const { rows } = await client.query<OpenInvitation>(
    `SELECT i.id, i.email, i.role, i.invited_by AS "invitedBy", i.expires_at AS "expiresAt"
     FROM console_invitations i WHERE i.account_id = $1 AND ${OPEN} ORDER BY i.id DESC`,
    [accountId],
  );
  return rows;
}

/** Ends an open invitation of an account. @returns false if the account has no such invitation */
export async function withdrawInvitation(
  client: ClientBase,
  { accountId, account, id }: { accountId: number; account: string; id: number },
  actor: Actor,
): Promise<boolean> {
  const { rows } = await client.query<{ email: string; role: Role }>(
    `DELETE FROM console_invitations i WHERE i.id = $1 AND i.account_id = $2 AND ${OPEN}
     RETURNING i.email, i.role`,
    [id, accountId],
  );
  if (!rows[0]) return false;
  await recordAudit(client, actor, {
    action: 'invitation.withdrawn',
    subject: `account ${account}`,
    accountId,
    details: rows[0],
  });
  return true;
}

const FIND = `
  SELECT i.account_id AS "accountId", a.name AS account, i.email, i.role, i.invited_by AS "invitedBy"
  FROM console_invitations i JOIN accounts a ON a.id = i.account_id WHERE i.hash = $1 AND ${OPEN}`;

/** Finds an open invitation, and leaves it open. */
export async function findInvitation(client: ClientBase | Pool, hash: Buffer): Promise<Invitation | null> {
  const { rows } = await client.query<Invitation>(FIND, [hash]);
  return rows[0] ?? null;
}

/** The result of accepting an invitation. */
export type Acceptance =
  | { joined: Invitation }
  | { problem: 'spent' }
  | { problem: 'other_address'; email: string };

/**
 * Accepts an invitation for a person, who thereby becomes known. If several people try at once, one gets it.
 * An owner who accepts an invitation as a member stays an owner.
 *
 * @param hash the hash of the invitation's token
 */
export async function acceptInvitation(
  client: ClientBase,
  hash: Buffer,
  identity: Identity,
): Promise<Acceptance> {
  const { rows } = await client.query<Invitation>(`${FIND} FOR UPDATE OF i`, [hash]);
  const invitation = rows[0];
  if (!invitation) return { problem: 'spent' };
  if (invitation.email !== identity.email) return { problem: 'other_address', email: invitation.email };
  const { accountId, account, role } = invitation;
  const personId = await ensurePerson(client, identity);
  await client.query('UPDATE console_invitations SET accepted_at = now() WHERE hash = $1', [hash]);
  if (role === 'operator')
    await client.query('UPDATE people SET is_operator = true WHERE id = $1', [personId]);
  else {
    await client.query(
      `INSERT INTO account_members AS m (account_id, person_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (account_id, person_id) DO UPDATE SET role = $3 WHERE m.role <> 'owner'`,
      [accountId, personId, role],
    );
  }
  await noteAccountSeen(client, personId, accountId);
  await recordAudit(
    client,
    { osUser: null, person: identity.email },
    { action: 'person.joined', subject: `account ${account}`, accountId, details: { role } },
  );
  return { joined: invitation };
}
