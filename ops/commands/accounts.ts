import type { ClientBase } from 'pg';
import { changeRights } from '../../administration/publishing/rights.ts';
import { OperatorError } from '../../service/operator-error.ts';
import {
  type AccountSummary,
  listAccounts,
  setAccountPlan,
  setAccountSuspended,
} from '../../store/accounts/accounts.ts';
import { listAllowedEndorsers } from '../../store/accounts/endorsers.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { currentActor, inDatabaseOf } from '../database.ts';
import { unknownAccount } from '../named-account.ts';
import { formatDay, formatTable } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- accounts list
  npm run ops -- accounts suspend acme
  npm run ops -- accounts resume acme
  npm run ops -- accounts set-plan acme --plan partner
  npm run ops -- accounts allow acme coast-gazette bay-teachers
  npm run ops -- accounts disallow acme bay-teachers
  npm run ops -- accounts show acme`;

/**
 * `accounts list`, `accounts show NAME`, `accounts suspend NAME`, `accounts resume NAME`,
 * `accounts set-plan NAME --plan PLAN`, `accounts allow NAME ENDORSER...`, `accounts disallow NAME ENDORSER...`.
 */
export const define: DefineCommand = (accounts, io) => {
  const one = (command: string, description: string) =>
    accounts.command(command).description(description).argument('<name>', 'the name of the account');
  accounts
    .command('list')
    .description('list every account, with its plan and the number of its usable keys')
    .action(() => list(io));
  one('show', 'show an account, with the endorsers for which it may publish').action((name: string) =>
    show(io, name),
  );
  one('suspend', 'refuse all keys of an account and end its streams, within five seconds').action(
    (name: string) => setSuspended(io, name, true),
  );
  one('resume', 'let a suspended account use its keys again').action((name: string) =>
    setSuspended(io, name, false),
  );
  one('set-plan', 'give an account another plan')
    .option('--plan <plan>', 'a plan that "plans list" shows')
    .action((name: string, { plan }: { plan?: string }) => setPlan(io, name, plan));
  for (const [command, isAllowed] of [
    ['allow', true],
    ['disallow', false],
  ] as const) {
    one(command, `let an account${isAllowed ? '' : ' no longer'} publish for endorsers over HTTP`)
      .argument('<endorsers...>', 'the slugs of endorsers')
      .action((name: string, given: string[]) => setAllowed(io, name, given, isAllowed));
  }
  for (const command of accounts.commands) command.addHelpText('after', EXAMPLES);
};

async function list(io: CommandIo): Promise<void> {
  const accounts = await inDatabaseOf(io, (client) => listAccounts(client));
  for (const line of formatAccounts(io, accounts)) io.out(line);
}

function formatAccounts(io: CommandIo, accounts: readonly AccountSummary[]): string[] {
  const rows = accounts.map(({ name, plan, usableKeys, createdAt, suspendedAt, endorsers }) => [
    name,
    plan,
    usableKeys,
    formatDay(createdAt),
    formatDay(suspendedAt),
    endorsers,
  ]);
  return formatTable(
    ['ACCOUNT', 'PLAN', 'USABLE KEYS', 'CREATED', 'SUSPENDED', 'ENDORSERS'],
    rows,
    io.outTerminal,
  );
}

async function show(io: CommandIo, name: string): Promise<void> {
  const { account, allowed } = await inDatabaseOf(io, async (client) => {
    const found = await findAccount(client, name);
    return { account: found, allowed: await listAllowedEndorsers(client, found.id) };
  });
  for (const line of formatAccounts(io, [account])) io.out(line);
  if (allowed.length === 0) {
    io.err('It may publish for no endorser; "accounts allow" changes that.');
    return;
  }
  const rows = allowed.map(({ slug, name: endorser }) => [slug, endorser]);
  for (const line of ['', ...formatTable(['PUBLISHES FOR', 'NAME'], rows, io.outTerminal)]) io.out(line);
}

/** @throws OperatorError if there is no such account */
async function findAccount(client: ClientBase, name: string): Promise<AccountSummary> {
  const [account] = await listAccounts(client, { name });
  if (!account) throw unknownAccount(name);
  return account;
}

async function setAllowed(io: CommandIo, name: string, given: string[], isAllowed: boolean): Promise<void> {
  const changed = await inDatabaseOf(io, async (client) =>
    changeRights(client, await findAccount(client, name), { given, isAllowed }, currentActor()),
  );
  const verb = isAllowed ? 'may publish' : 'may no longer publish';
  io.err(
    changed.length === 0
      ? `Nothing changes: account "${name}" ${isAllowed ? 'may publish for all of them already' : 'could publish for none of them'}.`
      : `Account "${name}" ${verb} for ${changed.join(', ')}.`,
  );
}

async function setSuspended(io: CommandIo, name: string, suspended: boolean): Promise<void> {
  const found = await inDatabaseOf(io, (client) =>
    setAccountSuspended(client, name, suspended, currentActor()),
  );
  if (!found) throw unknownAccount(name);
  io.err(
    suspended
      ? `Account "${name}" is suspended: within five seconds its keys are refused everywhere, and its streams and webhooks stop.`
      : `Account "${name}" is not suspended: its keys work again within seconds, and its webhooks continue.`,
  );
}

async function setPlan(io: CommandIo, name: string, plan?: string): Promise<void> {
  if (plan === undefined) {
    throw new OperatorError('--plan is required: see "npm run ops -- accounts set-plan --help".');
  }
  const found = await inDatabaseOf(io, (client) => setAccountPlan(client, name, plan, currentActor()));
  if (!found) throw unknownAccount(name);
  io.err(`Account "${name}" is on plan "${plan}": its limits change within seconds.`);
}
