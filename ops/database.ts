import os from 'node:os';
import pg, { type ClientBase } from 'pg';
import type { Actor } from '../store/audit-log.ts';
import { inTransaction } from '../store/transaction.ts';

/** Runs `work` in one transaction on a connection of its own: committed when it resolves, undone when it throws. */
export async function inOneTransaction<T>(
  databaseUrl: string,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    return await inTransaction(pool, work);
  } finally {
    await pool.end();
  }
}

/** Who runs this command, for the audit log. */
export function currentActor(): Actor {
  try {
    return { osUser: os.userInfo().username };
  } catch {
    // In a container the user may be a number without a name.
    return { osUser: null };
  }
}
