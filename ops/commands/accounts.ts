/** `accounts list`, `accounts suspend NAME`, `accounts resume NAME`, `accounts set-plan NAME --plan PLAN`. */
import { parseArgs } from 'node:util';
import { OperatorError } from '../../service/operator-error.ts';
import { listAccounts, setAccountPlan, setAccountSuspended } from '../../store/accounts/accounts.ts';
import { PlanMismatchError } from '../../store/accounts/plans.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';
import { currentActor, inOneTransaction } from '../database.ts';
import { formatDay, formatTable } from '../table.ts';

const USAGE = [
  'Usage: npm run ops -- accounts list',
  '       npm run ops -- accounts suspend NAME',
  '       npm run ops -- accounts resume NAME',
  '       npm run ops -- accounts set-plan NAME --plan PLAN',
].join('\n');

async function list(databaseUrl: string, io: CommandIo): Promise<void> {
  const accounts = await inOneTransaction(databaseUrl, listAccounts);
  const rows = accounts.map(({ name, plan, usableKeys, createdAt, suspendedAt }) => [
    name,
    plan,
    usableKeys,
    formatDay(createdAt),
    formatDay(suspendedAt),
  ]);
  for (const line of formatTable(['ACCOUNT', 'PLAN', 'USABLE KEYS', 'CREATED', 'SUSPENDED'], rows))
    io.out(line);
}

async function setSuspended(databaseUrl: string, name: string, suspended: boolean): Promise<string> {
  const found = await inOneTransaction(databaseUrl, (client) =>
    setAccountSuspended(client, name, suspended, currentActor()),
  );
  if (!found) throw unknownAccount(name);
  return suspended
    ? `Account "${name}" is suspended: within five seconds its keys are refused everywhere and its streams end.`
    : `Account "${name}" is not suspended: its keys work again within seconds.`;
}

async function setPlan(databaseUrl: string, name: string, plan: string): Promise<string> {
  try {
    const found = await inOneTransaction(databaseUrl, (client) =>
      setAccountPlan(client, name, plan, currentActor()),
    );
    if (!found) throw unknownAccount(name);
  } catch (error) {
    if (error instanceof PlanMismatchError) throw new OperatorError(error.message);
    throw error;
  }
  return `Account "${name}" is on plan "${plan}": its limits follow within seconds.`;
}

function unknownAccount(name: string): OperatorError {
  return new OperatorError(`There is no account "${name}"; "accounts list" shows those there are.`);
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { plan: { type: 'string' } } });
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { positionals, values } = parseOptions(args);
  const [action, name, ...rest] = positionals;
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const unexpected = rest.length > 0 || (values.plan !== undefined) !== (action === 'set-plan');
  if (unexpected) throw new OperatorError(USAGE);
  if (action === 'list' && name === undefined) await list(databaseUrl, io);
  else if (action === 'suspend' && name) io.err(await setSuspended(databaseUrl, name, true));
  else if (action === 'resume' && name) io.err(await setSuspended(databaseUrl, name, false));
  else if (action === 'set-plan' && name && values.plan)
    io.err(await setPlan(databaseUrl, name, values.plan));
  else throw new OperatorError(USAGE);
  return 0;
}
