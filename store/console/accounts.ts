import type { ClientBase, Pool } from 'pg';
import { normalizeText } from '../../schemas/text.ts';
import type { Role } from '../../schemas/vocabulary.ts';

/** The person of a session, for the choice of accounts. */
interface Visitor {
  personId: number | null;
  role: Role;
  accountId: number;
}

/** The accounts of a person, by name: the session's account, and the person's accounts that are not suspended. */
export async function listAccountsOf(
  client: ClientBase | Pool,
  { personId, accountId }: Visitor,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await client.query<{ id: number; name: string }>(
    `SELECT a.id, a.name FROM accounts a
     WHERE a.id = $1 OR (a.suspended_at IS NULL
       AND a.id IN (SELECT account_id FROM account_members WHERE person_id = $2))
     ORDER BY a.name`,
    [accountId, personId],
  );
  return rows;
}

/** Finds an account that a person may see: any for an operator. @returns null if this person may not see it */
export async function findAccountFor(
  client: ClientBase | Pool,
  { personId, role }: Visitor,
  accountId: number,
): Promise<{ id: number; name: string } | null> {
  const { rows } = await client.query<{ id: number; name: string }>(
    `SELECT id, name FROM accounts
     WHERE id = $1 AND ($2 OR (suspended_at IS NULL
       AND EXISTS (SELECT FROM account_members WHERE account_id = $1 AND person_id = $3)))`,
    [accountId, role === 'operator', personId],
  );
  return rows[0] ?? null;
}

/** The id of the account of this name; null if it does not exist. */
export async function findAccountId(client: ClientBase | Pool, name: string): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>('SELECT id FROM accounts WHERE name = $1', [
    normalizeText(name),
  ]);
  return rows[0]?.id ?? null;
}
