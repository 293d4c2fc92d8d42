/** `audit list`: who changed accounts, keys and plans, and when. */
import { parseArgs } from 'node:util';
import { OperatorError } from '../../service/operator-error.ts';
import { listAudit } from '../../store/accounts/audit-log.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { formatTable } from '../table.ts';

const USAGE = 'Usage: npm run ops -- audit list [--limit N]';
const MAX_LIMIT = 100_000;

function parseLimit(args: string[]): number {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { limit: { type: 'string', default: '100' } },
    });
    const limit = /^[1-9][0-9]{0,5}$/.test(values.limit) ? Number(values.limit) : Number.NaN;
    if (positionals.join(' ') === 'list' && limit <= MAX_LIMIT) return limit;
  } catch {
    // An option that there is not.
  }
  throw new OperatorError(`${USAGE}\nN is a whole number from 1 to ${MAX_LIMIT}.`);
}

/** The command: see ops/command.ts. Prints the newest entries, oldest of them first. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const limit = parseLimit(args);
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const entries = await inOneTransaction(databaseUrl, (client) => listAudit(client, limit));
  const rows = entries.map(({ occurredAt, osUser, databaseUser, action, subject, details }) => [
    occurredAt.toISOString(),
    osUser,
    databaseUser,
    action,
    subject,
    Object.keys(details).length > 0 ? JSON.stringify(details) : null,
  ]);
  const head = ['TIME', 'USER', 'DATABASE USER', 'ACTION', 'SUBJECT', 'DETAILS'];
  for (const line of formatTable(head, rows)) io.out(line);
  return 0;
}
