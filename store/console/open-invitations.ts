import type { ClientBase } from 'pg';

/**
 * The author of an invitation `i` may still make it: an operator may make each, and an owner those to their account.
 * Authors who are not known people used a command or a link.
 */
const AUTHOR_MAY = `(
  NOT EXISTS (SELECT FROM people p WHERE p.email = i.invited_by)
  OR EXISTS (
    SELECT FROM people p LEFT JOIN account_members m ON m.person_id = p.id AND m.account_id = i.account_id
    WHERE p.email = i.invited_by AND (p.is_operator OR m.role = 'owner' AND i.role <> 'operator')))`;

/** An invitation `i` can still be accepted. */
export const OPEN = `i.expires_at > now() AND i.accepted_at IS NULL AND ${AUTHOR_MAY}`;

/**
 * Ends the open invitations that a person made and may no longer make, so that a later right does not revive them. Call
 * it after the right has ended.
 */
export async function endInvitationsBy(client: ClientBase, email: string): Promise<void> {
  await client.query(
    `DELETE FROM console_invitations i WHERE i.invited_by = $1 AND i.accepted_at IS NULL AND NOT (${OPEN})`,
    [email],
  );
}

/**
 * Ends the open invitations of an address to an account. Call it before the member changes, as accepting an invitation
 * locks it before the member.
 */
export async function endInvitationsTo(client: ClientBase, accountId: number, email: string): Promise<void> {
  await client.query(
    'DELETE FROM console_invitations WHERE account_id = $1 AND email = $2 AND accepted_at IS NULL',
    [accountId, email],
  );
}
