import type { ClientBase, Pool } from 'pg';
import type { Role } from '../../schemas/vocabulary.ts';

/** The person of a session, as far as accounts go by it. */
interface Visitor {
  personId: number | null;
  role: Role;
  accountId: number;
}

/**
 * The accounts that a person may see, by name: all for an operator, one for somebody whom a link let in. Only operators
 * see suspended accounts.
 */
export async function listAccountsOf(
  client: ClientBase | Pool,
  { personId, role, accountId }: Visitor,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await client.query<{ id: number; name: string }>(
    `SELECT a.id, a.name FROM accounts a
     WHERE $1 OR a.id = $2 OR (a.suspended_at IS NULL AND EXISTS (
       SELECT FROM account_members m WHERE m.account_id = a.id AND m.person_id = $3))
     ORDER BY a.name`,
    [role === 'operator', accountId, personId],
  );
  return rows;
}

/** The id of the account of this name; null if there is none. */
export async function findAccountId(client: ClientBase | Pool, name: string): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [name]);
  return rows[0]?.id ?? null;
}
