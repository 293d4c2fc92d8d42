import type { ClientBase } from 'pg';
import { OperatorError } from '../service/operator-error.ts';
import { findAccountId } from '../store/console/accounts.ts';

export function unknownAccount(name: string): OperatorError {
  return new OperatorError(`There is no account "${name}"; "accounts list" shows every account.`);
}

/** The id of the account of this name; null without a name. @throws OperatorError if there is no such account */
export async function findNamedAccount(client: ClientBase, name: string | undefined): Promise<number | null> {
  if (name === undefined) return null;
  const id = await findAccountId(client, name);
  if (id === null) throw unknownAccount(name);
  return id;
}
