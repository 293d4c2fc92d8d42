import type { ClientBase, Pool } from 'pg';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import { endInvitationsBy } from './open-invitations.ts';

/** The roles that a member of an account can have. */
export const MEMBER_ROLES = ['member', 'owner'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person who belongs to an account. */
export interface Member {
  personId: number;
  email: string;
  name: string;
  role: MemberRole;
  since: Date;
}

/** The members of an account by their addresses, owners first. */
export async function listMembers(client: ClientBase | Pool, accountId: number): Promise<Member[]> {
  const { rows } = await client.query<Member>(
    `SELECT p.id AS "personId", p.email, p.name, m.role, m.created_at AS since
     FROM account_members m JOIN people p ON p.id = m.person_id
     WHERE m.account_id = $1 ORDER BY (m.role = 'owner') DESC, p.email, p.id`,
    [accountId],
  );
  return rows;
}

/** The member to change. */
export interface MemberOf {
  accountId: number;
  account: string;
  personId: number;
}

/** The result of a change. An account with owners keeps at least one. */
export type MemberChange = 'done' | 'no_such_member' | 'last_owner';

/** Finds a member and whether the account needs them. Blocks other changes of the account's members. */
async function lockMember(
  client: ClientBase,
  { accountId, personId }: MemberOf,
): Promise<{ member: Member; isLastOwner: boolean } | null> {
  await client.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  const members = await listMembers(client, accountId);
  const member = members.find((each) => each.personId === personId);
  if (!member) return null;
  const owners = members.filter(({ role }) => role === 'owner');
  return { member, isLastOwner: member.role === 'owner' && owners.length === 1 };
}

/** Changes a member's role, from their next request. Ends the invitations that they may no longer make. */
export async function changeRole(
  client: ClientBase,
  { role, ...of }: MemberOf & { role: MemberRole },
  actor: Actor,
): Promise<MemberChange> {
  const found = await lockMember(client, of);
  if (!found) return 'no_such_member';
  const { member, isLastOwner } = found;
  if (member.role === role) return 'done';
  if (isLastOwner) return 'last_owner';
  await client.query('UPDATE account_members SET role = $3 WHERE account_id = $1 AND person_id = $2', [
    of.accountId,
    of.personId,
    role,
  ]);
  await endInvitationsBy(client, member.email);
  await recordAudit(client, actor, {
    action: 'person.role_changed',
    subject: `account ${of.account}`,
    accountId: of.accountId,
    details: { email: member.email, from: member.role, to: role },
  });
  return 'done';
}

/**
 * Removes a member from an account. Ends their sessions on it, the open invitations that they made, and those to their
 * address, which would let them return.
 */
export async function removeMember(client: ClientBase, of: MemberOf, actor: Actor): Promise<MemberChange> {
  const found = await lockMember(client, of);
  if (!found) return 'no_such_member';
  const { member, isLastOwner } = found;
  if (isLastOwner) return 'last_owner';
  const { accountId, personId, account } = of;
  await client.query('DELETE FROM account_members WHERE account_id = $1 AND person_id = $2', [
    accountId,
    personId,
  ]);
  await client.query('DELETE FROM console_sessions WHERE account_id = $1 AND person_id = $2', [
    accountId,
    personId,
  ]);
  await client.query(
    'DELETE FROM console_invitations WHERE account_id = $1 AND email = $2 AND accepted_at IS NULL',
    [accountId, member.email],
  );
  await endInvitationsBy(client, member.email);
  await recordAudit(client, actor, {
    action: 'person.removed',
    subject: `account ${account}`,
    accountId,
    details: { email: member.email, role: member.role },
  });
  return 'done';
}
