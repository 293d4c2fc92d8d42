import { parseInteger } from '../../service/environment.ts';
import { listAudit } from '../../store/accounts/audit-log.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { inDatabaseOf } from '../database.ts';
import { formatTable } from '../table.ts';

const MAX_LIMIT = 100_000;

const EXAMPLE = `
Example:
  npm run ops -- audit list --limit 20`;

/** `audit list [--limit N]`. */
export const define: DefineCommand = (audit, io) => {
  audit
    .command('list')
    .description('list the newest changes of accounts, keys and plans, oldest first')
    .option('--limit <n>', 'the number of changes to list', parseLimit, 100)
    .addHelpText('after', EXAMPLE)
    .action(({ limit }: { limit: number }) => list(io, limit));
};

const parseLimit = (text: string) => parseInteger('--limit', text, { min: 1, max: MAX_LIMIT });

async function list(io: CommandIo, limit: number): Promise<void> {
  const entries = await inDatabaseOf(io, (client) => listAudit(client, { limit }));
  const rows = entries.map(({ occurredAt, person, osUser, databaseUser, action, subject, details }) => [
    occurredAt.toISOString(),
    person ?? osUser,
    databaseUser,
    action,
    subject,
    Object.keys(details).length > 0 ? JSON.stringify(details) : null,
  ]);
  const head = ['TIME', 'USER', 'DATABASE USER', 'ACTION', 'SUBJECT', 'DETAILS'];
  for (const line of formatTable(head, rows, io.outTerminal)) io.out(line);
}
