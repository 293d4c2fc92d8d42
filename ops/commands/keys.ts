import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { normalizeText } from '../../schemas/text.ts';
import { SCOPES, type Scope } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { issueKey, isUsableKey, revokeKey } from '../../store/accounts/issued-keys.ts';
import { listKeys } from '../../store/accounts/listed-keys.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { currentActor, inDatabaseOf, inOneTransaction } from '../database.ts';
import { parseRowId } from '../row-id.ts';
import { formatDay, formatMinute, formatTable } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- keys create --account acme --plan free
  KEY=$(npm run --silent ops -- keys create --account acme --plan free --expires 2027-01-31)
  npm run ops -- keys create --account acme --plan free --expires 2027-01-31T17:00:00-05:00
  npm run ops -- keys create --account acme --plan free --name "Website, production"
  npm run ops -- keys list
  npm run ops -- keys revoke 3`;

/** The longest name of an account or a key. */
const MAX_NAME_LENGTH = 100;

/** `keys create`, `keys list`, `keys revoke ID`. */
export const define: DefineCommand = (keys, io) => {
  keys
    .command('create')
    .description('create a key and print it, alone, on standard output; it cannot be shown again')
    .option('--account <name>', 'the account of the key; a new name makes a new account', parseAccount)
    .option(
      '--name <text>',
      'a name for people, by which the console and the audit log call the key',
      parseName,
    )
    .option('--plan <plan>', 'the plan of the account, as "plans list" shows them')
    .option(
      '--scopes <scopes>',
      `what the key may do, of ${SCOPES.join(',')}; all of them by default`,
      parseScopes,
    )
    .option(
      '--expires <time>',
      'the time from which the key no longer works, such as 2027-01-31T17:00:00Z; a date is its first moment in UTC',
    )
    .action((options: CreateOptions) => create(io, options));
  keys
    .command('list')
    .description('list every key, without its text')
    .action(() => list(io));
  keys
    .command('revoke')
    .description('refuse a key and end its streams, within five seconds')
    .argument('<id>', 'the id of the key, as "keys list" shows it', (text: string) =>
      parseRowId(text, 'keys list'),
    )
    .action((id: number) => revoke(io, id));
  for (const command of keys.commands) command.addHelpText('after', EXAMPLES);
};

export interface CreateKeyOptions {
  databaseUrl: string;
  account: string;
  plan: string;
  scopes?: readonly Scope[];
  expiresAt?: Date | null;
  /** A name for people; none by default. */
  name?: string;
}

/**
 * Creates a key, and its account if the name is new.
 *
 * @returns the text of the key, which is not stored and cannot be shown again
 * @throws OperatorError if the plan does not exist, the account is on another plan, or it has 100 usable keys
 */
export async function createKey({
  databaseUrl,
  account,
  plan,
  scopes = SCOPES,
  expiresAt = null,
  name = '',
}: CreateKeyOptions): Promise<string> {
  const { key } = await inOneTransaction(databaseUrl, (client) =>
    issueKey(client, { account, plan, scopes, expiresAt, name }, currentActor()),
  );
  return key;
}

/** Whether this key works on that database now. */
export async function isKnownKey(databaseUrl: string, key: string): Promise<boolean> {
  return inOneTransaction(databaseUrl, (client) => isUsableKey(client, key));
}

function parseScopes(text: string): Scope[] {
  const scopes = text.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined)
    throw new OperatorError(`There is no scope "${unknown}"; there are: ${SCOPES.join(', ')}.`);
  return SCOPES.filter((scope) => scopes.includes(scope));
}

/** An ISO 8601 time with its offset from UTC; seconds are optional. */
const TIME = /^[0-9-]{10}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})$/;

/** A key that expires on a day works until that day begins, in UTC. */
function parseExpiry(text: string, now: Date): Date {
  const isDay = isCalendarDate(text);
  const isTime = TIME.test(text) && isCalendarDate(text.slice(0, 10));
  const expiresAt = new Date(isDay ? `${text}T00:00:00Z` : text);
  if (!(isDay || isTime) || Number.isNaN(expiresAt.getTime())) {
    throw new OperatorError(
      `--expires is "${text}"; it must be a date such as 2027-01-31, or a time with its offset from UTC ` +
        'such as 2027-01-31T17:00:00Z.',
    );
  }
  if (expiresAt <= now) {
    throw new OperatorError(
      `--expires is ${text}, which is not in the future; a date is its first moment in UTC.`,
    );
  }
  return expiresAt;
}

/** @throws OperatorError if a key cannot have this name */
function parseName(text: string): string {
  const name = normalizeText(text);
  if (name !== '' && name.length <= MAX_NAME_LENGTH) return name;
  throw new OperatorError(`--name must have 1 to ${MAX_NAME_LENGTH} characters.`);
}

/** @throws OperatorError if an account cannot have this name */
function parseAccount(text: string): string {
  const name = normalizeText(text);
  if (name === '') throw new OperatorError('--account must not be empty.');
  if (name.length > MAX_NAME_LENGTH) {
    throw new OperatorError(`--account must have at most ${MAX_NAME_LENGTH} characters.`);
  }
  return name;
}

interface CreateOptions {
  account?: string;
  plan?: string;
  name?: string;
  scopes?: Scope[];
  expires?: string;
}

async function create(io: CommandIo, options: CreateOptions): Promise<void> {
  const { account, plan, name, scopes, expires } = options;
  if (account === undefined || plan === undefined) {
    throw new OperatorError('--account and --plan are required: see "npm run ops -- keys create --help".');
  }
  const expiresAt = expires === undefined ? null : parseExpiry(expires, io.now());
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const chosen = { ...(scopes && { scopes }), ...(name !== undefined && { name }) };
  const key = await createKey({ databaseUrl, account, plan, expiresAt, ...chosen });
  io.err(`A key of account "${account}", shown this once:`);
  io.out(key);
}

async function list(io: CommandIo): Promise<void> {
  const keys = await inDatabaseOf(io, (client) => listKeys(client));
  const head = ['ID', 'ACCOUNT', 'PLAN', 'SCOPES', 'CREATED', 'EXPIRES', 'REVOKED', 'LAST USED', 'NAME'];
  const rows = keys.map(
    ({ id, name, account, plan, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }) => [
      id,
      account,
      plan,
      scopes.join(','),
      formatDay(createdAt),
      formatMinute(expiresAt),
      formatDay(revokedAt),
      formatMinute(lastUsedAt),
      name || null,
    ],
  );
  for (const line of formatTable(head, rows, io.outTerminal)) io.out(line);
}

async function revoke(io: CommandIo, id: number): Promise<void> {
  const revoked = await inDatabaseOf(io, (client) => revokeKey(client, id, currentActor()));
  if (!revoked) throw new OperatorError(`There is no key ${id}; "keys list" shows every id.`);
  io.err(`Key ${id} is revoked: within five seconds it is refused everywhere and its streams end.`);
}
