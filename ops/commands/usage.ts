import { Option } from 'commander';
import type { ClientBase } from 'pg';
import { parseInteger } from '../../service/environment.ts';
import { listAccounts } from '../../store/accounts/accounts.ts';
import {
  loadDailyDeliveries,
  loadDailyUsage,
  loadUsageByAccount,
  loadUsageByRoute,
  type RequestTotals,
  TOTAL_KINDS,
  type TotalKind,
} from '../../store/accounts/usage.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { inDatabaseOf } from '../database.ts';
import { unknownAccount } from '../named-account.ts';
import { count, formatDay, formatTable } from '../table.ts';

const MAX_DAYS = 30;
const MAX_ACCOUNTS = 1000;

const EXAMPLES = `
Examples:
  npm run ops -- usage
  npm run ops -- usage --days 1 --by limited
  npm run ops -- usage acme`;

const HEAD = ['REQUESTS', 'FAULTY', 'OVER THE LIMIT', 'FAILED'];
/** The events that webhooks accepted, and the attempts that failed. */
const EVENTS = 'EVENTS TO WEBHOOKS';
const FAILED_ATTEMPTS = 'FAILED ATTEMPTS';
const cellsOf = (totals: RequestTotals) => TOTAL_KINDS.map((kind) => totals[kind]);

interface Flags {
  days: number;
  by: TotalKind;
}

/** `usage [ACCOUNT] [--days N] [--by KIND]`. */
export const define: DefineCommand = (usage, io) => {
  usage
    .argument('[account]', 'show the days and endpoints of this account')
    .option('--days <n>', `the number of UTC days up to today, at most ${MAX_DAYS}`, parseDays, 7)
    .addOption(
      new Option('--by <kind>', 'the requests by which accounts are sorted, the highest first')
        .choices(TOTAL_KINDS)
        .default('requests'),
    )
    .addHelpText('after', EXAMPLES)
    .action((account: string | undefined, flags: Flags) => show(io, account, flags));
};

const parseDays = (text: string) => parseInteger('--days', text, { min: 1, max: MAX_DAYS });

async function show(io: CommandIo, account: string | undefined, { days, by }: Flags): Promise<void> {
  const lines = await inDatabaseOf(io, (client) =>
    account === undefined
      ? describeAll(client, { days, by }, io)
      : describeAccount(client, { account, days }, io),
  );
  for (const line of lines) io.out(line);
}

async function describeAll(client: ClientBase, flags: Flags, io: CommandIo): Promise<string[]> {
  const all = await loadUsageByAccount(client, { ...flags, limit: MAX_ACCOUNTS + 1 });
  if (all.length > MAX_ACCOUNTS) {
    io.err(`More accounts have usage: these are the first ${count(MAX_ACCOUNTS)}.`);
  }
  const rows = all
    .slice(0, MAX_ACCOUNTS)
    .map((each) => [each.account, each.plan, ...cellsOf(each), each.events]);
  return formatTable(['ACCOUNT', 'PLAN', ...HEAD, EVENTS], rows, io.outTerminal);
}

async function describeAccount(
  client: ClientBase,
  { account: given, days }: { account: string; days: number },
  { outTerminal }: CommandIo,
): Promise<string[]> {
  const [account] = await listAccounts(client, { name: given });
  if (!account) throw unknownAccount(given);
  const byDay = (await loadDailyUsage(client, account.id)).slice(-days);
  const deliveries = (await loadDailyDeliveries(client, account.id)).slice(-days);
  const byRoute = await loadUsageByRoute(client, account.id, days);
  return [
    ...formatTable(
      ['DAY', ...HEAD, EVENTS, FAILED_ATTEMPTS],
      byDay.map((each, at) => [
        formatDay(each.start),
        ...cellsOf(each),
        deliveries[at]?.events ?? 0,
        deliveries[at]?.failed ?? 0,
      ]),
      outTerminal,
    ),
    '',
    ...formatTable(
      ['ENDPOINT', ...HEAD],
      byRoute.map((each) => [each.route, ...cellsOf(each)]),
      outTerminal,
    ),
  ];
}
