import type { ClientBase, Pool } from 'pg';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import { endInvitationsBy, endInvitationsTo } from './open-invitations.ts';

/** The roles that a member of an account can have. */
export const MEMBER_ROLES = ['member', 'editor', 'owner'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A person who belongs to an account. */
export interface Member {
  personId: number;
  email: string;
  name: string;
  role: MemberRole;
  since: Date;
}

const MEMBERS = `SELECT p.id AS "personId", p.email, p.name, m.role, m.created_at AS since
     FROM account_members m JOIN people p ON p.id = m.person_id
     WHERE m.account_id = $1`;

/** A member's place in the list. */
export type MemberPlace = Pick<Member, 'role' | 'email' | 'personId'>;

export interface MemberPage {
  members: Member[];
  /** The place after which the next page begins; null on the last page. */
  next: MemberPlace | null;
}

/**
 * Lists the members of an account by their addresses, owners first.
 *
 * @param limit the most members of the page, at least 1
 * @param after the previous page's `next`; null for the first page
 */
export async function listMembers(
  client: ClientBase | Pool,
  accountId: number,
  { limit, after }: { limit: number; after: MemberPlace | null },
): Promise<MemberPage> {
  const { rows } = await client.query<Member>(
    `${MEMBERS} AND ($2::text IS NULL OR (m.role <> 'owner', p.email, p.id) > ($2 <> 'owner', $3::text, $4::int))
     ORDER BY m.role <> 'owner', p.email, p.id LIMIT $5`,
    [accountId, after?.role ?? null, after?.email ?? null, after?.personId ?? null, limit + 1],
  );
  const members = rows.slice(0, limit);
  return { members, next: rows.length > limit ? (members.at(-1) ?? null) : null };
}

/** Finds a member; null if the account has no such member. */
export async function findMember(
  client: ClientBase | Pool,
  accountId: number,
  personId: number,
): Promise<Member | null> {
  const { rows } = await client.query<Member>(`${MEMBERS} AND p.id = $2`, [accountId, personId]);
  return rows[0] ?? null;
}

export async function countOwners(client: ClientBase | Pool, accountId: number): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM account_members WHERE account_id = $1 AND role = 'owner'`,
    [accountId],
  );
  return rows[0]?.count ?? 0;
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
  const member = await findMember(client, accountId, personId);
  if (!member) return null;
  const owners = await countOwners(client, accountId);
  return { member, isLastOwner: member.role === 'owner' && owners === 1 };
}

/**
 * Changes a member's role, from their next request. Ends the invitations that they may no longer make, and those to their
 * address, which could undo the change.
 */
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
  await endInvitationsTo(client, of.accountId, member.email);
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
 * Removes a member from an account. Ends their sessions and unused links on it, also those that name their address, the
 * open invitations that they made, and those to their address, which would let them return.
 */
export async function removeMember(client: ClientBase, of: MemberOf, actor: Actor): Promise<MemberChange> {
  const found = await lockMember(client, of);
  if (!found) return 'no_such_member';
  const { member, isLastOwner } = found;
  if (isLastOwner) return 'last_owner';
  const { accountId, personId, account } = of;
  await endInvitationsTo(client, accountId, member.email);
  await client.query('DELETE FROM account_members WHERE account_id = $1 AND person_id = $2', [
    accountId,
    personId,
  ]);
  await client.query('DELETE FROM console_links WHERE account_id = $1 AND lower(person) = $2', [
    accountId,
    member.email,
  ]);
  await client.query(
    'DELETE FROM console_sessions WHERE account_id = $1 AND (person_id = $2 OR lower(link_person) = $3)',
    [accountId, personId, member.email],
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
