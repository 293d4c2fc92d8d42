import { parseArgs } from 'node:util';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { SCOPES, type Scope } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { issueKey, isUsableKey, listKeys, revokeKey } from '../../store/accounts/issued-keys.ts';
import { PlanMismatchError } from '../../store/accounts/plans.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';
import { currentActor, inOneTransaction } from '../database.ts';
import { formatDay, formatMinute, formatTable, showControls } from '../table.ts';

const USAGE = [
  'Usage: npm run ops -- keys create --account NAME --plan PLAN [--scopes a,b] [--expires DATE]',
  '       npm run ops -- keys list',
  '       npm run ops -- keys revoke ID',
].join('\n');

const MAX_ACCOUNT_NAME_LENGTH = 100;

export interface CreateKeyOptions {
  databaseUrl: string;
  account: string;
  plan: string;
  scopes?: readonly Scope[];
  expiresAt?: Date | null;
}

/**
 * Issues a key, making the account where it is new, and gives the key's text: the only time it is seen.
 *
 * @throws OperatorError when the plan does not exist, or is not the account's.
 */
export async function createKey({
  databaseUrl,
  account,
  plan,
  scopes = SCOPES,
  expiresAt = null,
}: CreateKeyOptions): Promise<string> {
  try {
    const issued = await inOneTransaction(databaseUrl, (client) =>
      issueKey(client, { account, plan, scopes, expiresAt }, currentActor()),
    );
    return issued.key;
  } catch (error) {
    if (error instanceof PlanMismatchError) throw new OperatorError(error.message);
    throw error;
  }
}

/** Whether this key can be used on that database now. */
export async function isKnownKey({
  databaseUrl,
  key,
}: {
  databaseUrl: string;
  key: string;
}): Promise<boolean> {
  return inOneTransaction(databaseUrl, (client) => isUsableKey(client, key));
}

function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined)
    throw new OperatorError(`There is no scope "${unknown}"; there are: ${SCOPES.join(', ')}.`);
  return SCOPES.filter((scope) => scopes.includes(scope));
}

/** A key that expires on a day can be used until that day begins, in UTC. */
function parseExpiry(text: string): Date {
  if (!isCalendarDate(text))
    throw new OperatorError(`--expires is "${text}"; it must be a date such as 2027-01-31.`);
  const expiresAt = new Date(`${text}T00:00:00Z`);
  if (expiresAt.getTime() <= Date.now()) throw new OperatorError(`--expires is ${text}, which is past.`);
  return expiresAt;
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        account: { type: 'string' },
        plan: { type: 'string' },
        scopes: { type: 'string' },
        expires: { type: 'string' },
      },
    });
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** @throws OperatorError for a name that an account cannot have */
function parseAccount(text: string): string {
  const name = text.trim();
  if (name.length > MAX_ACCOUNT_NAME_LENGTH) {
    throw new OperatorError(`--account must have at most ${MAX_ACCOUNT_NAME_LENGTH} characters.`);
  }
  const shown = showControls(name);
  if (shown !== name) {
    throw new OperatorError(
      `--account is "${shown}"; it must have no tabs, line breaks or other control characters.`,
    );
  }
  return name;
}

async function create(
  databaseUrl: string,
  options: ReturnType<typeof parseOptions>['values'],
  io: CommandIo,
) {
  const account = parseAccount(options.account ?? '');
  if (account === '' || !options.plan) throw new OperatorError(USAGE);
  const key = await createKey({
    databaseUrl,
    account,
    plan: options.plan,
    ...(options.scopes !== undefined && { scopes: parseScopes(options.scopes) }),
    ...(options.expires !== undefined && { expiresAt: parseExpiry(options.expires) }),
  });
  io.err(`A key of account "${account}", shown this once:`);
  io.out(key);
  return 0;
}

async function list(databaseUrl: string, io: CommandIo) {
  const keys = await inOneTransaction(databaseUrl, listKeys);
  const head = ['ID', 'ACCOUNT', 'PLAN', 'SCOPES', 'CREATED', 'EXPIRES', 'REVOKED', 'LAST USED'];
  const rows = keys.map(({ id, account, plan, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }) => [
    id,
    account,
    plan,
    scopes.join(','),
    formatDay(createdAt),
    formatDay(expiresAt),
    formatDay(revokedAt),
    formatMinute(lastUsedAt),
  ]);
  for (const line of formatTable(head, rows)) io.out(line);
  return 0;
}

async function revoke(databaseUrl: string, text: string, io: CommandIo) {
  const id = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) throw new OperatorError(`"${text}" is no key id; "keys list" shows them.`);
  const revoked = await inOneTransaction(databaseUrl, (client) => revokeKey(client, id, currentActor()));
  if (!revoked) throw new OperatorError(`There is no key ${id}; "keys list" shows those there are.`);
  io.err(`Key ${id} is revoked: within five seconds it is refused everywhere and its streams end.`);
  return 0;
}

/** `keys create`, `keys list`, `keys revoke ID`. Only a new key's text goes to standard output by itself. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { positionals, values } = parseOptions(args);
  const [action, ...rest] = positionals;
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  if (action === 'create' && rest.length === 0) return create(databaseUrl, values, io);
  if (action === 'list' && rest.length === 0) return list(databaseUrl, io);
  if (action === 'revoke' && rest[0] !== undefined && rest.length === 1)
    return revoke(databaseUrl, rest[0], io);
  throw new OperatorError(USAGE);
}
