import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { listAccounts, setAccountPlan, setAccountSuspended } from '../../store/accounts/accounts.ts';
import { PlanMismatchError } from '../../store/accounts/plans.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { currentActor, inOneTransaction } from '../database.ts';
import { formatDay, formatTable } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- accounts list
  npm run ops -- accounts suspend acme
  npm run ops -- accounts resume acme
  npm run ops -- accounts set-plan acme --plan partner`;

/** `accounts list`, `accounts suspend NAME`, `accounts resume NAME`, `accounts set-plan NAME --plan PLAN`. */
export const define: DefineCommand = (accounts, io) => {
  accounts
    .command('list')
    .description('list every account, with its plan and the number of its usable keys')
    .addHelpText('after', EXAMPLES)
    .action(() => list(io));
  accounts
    .command('suspend')
    .description('refuse all keys of an account and end its streams, within five seconds')
    .argument('<name>', 'the name of the account')
    .addHelpText('after', EXAMPLES)
    .action((name: string) => setSuspended(io, name, true));
  accounts
    .command('resume')
    .description('let a suspended account use its keys again')
    .argument('<name>', 'the name of the account')
    .addHelpText('after', EXAMPLES)
    .action((name: string) => setSuspended(io, name, false));
  accounts
    .command('set-plan')
    .description('give an account another plan')
    .argument('<name>', 'the name of the account')
    .option('--plan <plan>', 'a plan that "plans list" shows')
    .addHelpText('after', EXAMPLES)
    .action((name: string, { plan }: { plan?: string }) => setPlan(io, name, plan));
};

async function list(io: CommandIo): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const accounts = await inOneTransaction(databaseUrl, (client) => listAccounts(client));
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

async function setSuspended(io: CommandIo, name: string, suspended: boolean): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const found = await inOneTransaction(databaseUrl, (client) =>
    setAccountSuspended(client, name, suspended, currentActor()),
  );
  if (!found) throw unknownAccount(name);
  io.err(
    suspended
      ? `Account "${name}" is suspended: within five seconds its keys are refused everywhere and its streams end.`
      : `Account "${name}" is not suspended: its keys work again within seconds.`,
  );
}

async function setPlan(io: CommandIo, name: string, plan?: string): Promise<void> {
  if (plan === undefined) {
    throw new OperatorError('--plan is required: see "npm run ops -- accounts set-plan --help".');
  }
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  try {
    const found = await inOneTransaction(databaseUrl, (client) =>
      setAccountPlan(client, name, plan, currentActor()),
    );
    if (!found) throw unknownAccount(name);
  } catch (error) {
    if (error instanceof PlanMismatchError) throw new OperatorError(error.message);
    throw error;
  }
  io.err(`Account "${name}" is on plan "${plan}": its limits change within seconds.`);
}

function unknownAccount(name: string): OperatorError {
  return new OperatorError(`There is no account "${name}"; "accounts list" shows every account.`);
}
