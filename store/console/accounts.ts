import type { ClientBase, Pool } from 'pg';
import type { Role } from '../../schemas/vocabulary.ts';

/** The person of a session, as far as accounts go by it. */
interface Visitor {
  personId: number | null;
  role: Role;
  accountId: number;
}

/** The accounts that a person may see, by name: all for an operator, one for somebody whom a link let in. */
export async function listAccountsOf(
  client: ClientBase | Pool,
  { personId, role, accountId }: Visitor,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await client.query<{ id: number; name: string }>(
    `SELECT a.id, a.name FROM accounts a
     WHERE $1 OR a.id = $2 OR EXISTS (
       SELECT FROM account_members m WHERE m.account_id = a.id AND m.person_id = $3)
     ORDER BY a.name`,
    [role === 'operator', accountId, personId],
  );
  return rows;
}
