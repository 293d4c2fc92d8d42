import os from 'node:os';
import type { ClientBase } from 'pg';
import { parseEmailAddress } from '../../schemas/email-address.ts';
import { showControls } from '../../schemas/show-controls.ts';
import { normalizeText } from '../../schemas/text.ts';
import { ROLES, type Role } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv, readServiceUrl } from '../../service/running-service.ts';
import { findAccountId } from '../../store/console/accounts.ts';
import { createInvitation, INVITATION_DAYS, MAX_INVITATIONS } from '../../store/console/invitations.ts';
import { createLink, LINK_MINUTES } from '../../store/console/links.ts';
import { removeOperator } from '../../store/console/people.ts';
import { endSessions } from '../../store/console/sessions.ts';
import { listProcesses } from '../../store/processes/process-list.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { currentActor, inDatabaseOf, inOneTransaction } from '../database.ts';
import { unknownAccount } from '../named-account.ts';

const MAX_PERSON_LENGTH = 100;

const EXAMPLES = `
Examples:
  npm run ops -- console link --account acme
  npm run ops -- console link --account acme --role operator --person ann@example.org
  LINK=$(npm run --silent ops -- console link --account acme)`;

const INVITE_EXAMPLES = `
Examples:
  npm run ops -- console invite --account acme --email ann@example.org --role owner
  npm run ops -- console invite --account acme --email bob@example.org --role operator`;

const OPERATOR_EXAMPLES = `
Examples:
  npm run ops -- console remove-operator --email bob@example.org`;

const END_EXAMPLES = `
Examples:
  npm run ops -- console sessions end --account acme
  npm run ops -- console sessions end --person ann@example.org`;

/** `console link`, `console invite`, `console remove-operator`, `console sessions end`. */
export const define: DefineCommand = (command, io) => {
  command
    .command('link')
    .description(
      `make a link that signs somebody in to the console once, within ${LINK_MINUTES} minutes; print only the link`,
    )
    .requiredOption('--account <name>', 'the account that the console shows', normalizeText)
    .option('--role <role>', `what the person may do: ${ROLES.join(', ')}`, parseRole, 'owner')
    .option('--person <name>', 'the name of the person in the audit log; your own by default', parsePerson)
    .addHelpText('after', EXAMPLES)
    .action((options: LinkOptions) => link(io, options));
  command
    .command('invite')
    .description(
      `make a link by which somebody joins an account within ${INVITATION_DAYS} days, after signing in; print only the link`,
    )
    .requiredOption(
      '--account <name>',
      'the account to join; for an operator, the one to begin with',
      normalizeText,
    )
    .requiredOption(
      '--email <address>',
      'the address that the sign-in provider must have verified',
      parseEmail,
    )
    .option('--role <role>', `what the person may do: ${ROLES.join(', ')}`, parseRole, 'member')
    .addHelpText('after', INVITE_EXAMPLES)
    .action((options: InviteOptions) => invite(io, options));
  command
    .command('remove-operator')
    .description('make an operator an ordinary person, and end their sessions')
    .requiredOption('--email <address>', 'the address of the operator', parseEmail)
    .addHelpText('after', OPERATOR_EXAMPLES)
    .action(({ email }: { email: string }) => removeOperatorOf(io, email));
  const sessions = command
    .command('sessions')
    .description('end sessions')
    .helpCommand(false)
    .addHelpText('after', END_EXAMPLES);
  sessions
    .command('end')
    .description('end all sessions of an account or of a person at once, and links that were not used')
    .option('--account <name>', 'the account whose sessions end', normalizeText)
    .option('--person <name>', 'the person whose sessions end: an address, or the name that a link gave')
    .addHelpText('after', END_EXAMPLES)
    .action((options: EndOptions) => endSessionsOf(io, options));
};

interface InviteOptions {
  account: string;
  email: string;
  role: Role;
}

interface EndOptions {
  account?: string;
  person?: string;
}

export interface LinkOptions {
  account: string;
  role: Role;
  person?: string;
}

/**
 * Makes a link that signs somebody in to the console.
 *
 * @param publicUrl the service's address, without a trailing slash
 * @throws OperatorError if the account does not exist
 */
export async function createConsoleLink(
  { databaseUrl, publicUrl }: { databaseUrl: string; publicUrl: string },
  { account, role, person }: Required<LinkOptions>,
): Promise<string> {
  const token = await inOneTransaction(databaseUrl, (client) =>
    createLink(client, { account, role, person }, currentActor()),
  );
  if (token === null) throw unknownAccount(account);
  return `${publicUrl}/console/links/${token}`;
}

function parseRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role) return role;
  throw new OperatorError(`There is no role "${text}"; there are: ${ROLES.join(', ')}.`);
}

function parsePerson(text: string): string {
  const name = text.trim().normalize();
  if (name !== '' && name.length <= MAX_PERSON_LENGTH && showControls(name) === name) return name;
  throw new OperatorError(
    `--person must have 1 to ${MAX_PERSON_LENGTH} characters, and no line breaks or other control characters.`,
  );
}

/** The name of the operating system's user, which a container may lack. */
function ownName(): string {
  return currentActor().osUser ?? `user ${os.userInfo().uid}`;
}

function parseEmail(text: string): string {
  const email = parseEmailAddress(text);
  if (email !== null) return email;
  throw new OperatorError(
    `--email is "${showControls(text)}"; it must be an address such as ann@example.org.`,
  );
}

async function link(io: CommandIo, { account, role, person = ownName() }: LinkOptions): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const publicUrl = readServiceUrl(io.env);
  const address = await createConsoleLink({ databaseUrl, publicUrl }, { account, role, person });
  io.err(`Signs in as ${person}, ${role} of account "${account}", once within ${LINK_MINUTES} minutes:`);
  io.out(address);
}

async function invite(io: CommandIo, { account, email, role }: InviteOptions): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const publicUrl = readServiceUrl(io.env);
  const token = await inOneTransaction(databaseUrl, async (client) => {
    const accountId = await findAccountId(client, account);
    if (accountId === null) throw unknownAccount(account);
    await requireProvider(client, account);
    const invitation = { accountId, account, email, role, invitedBy: ownName() };
    return createInvitation(client, invitation, currentActor());
  });
  if (token === null) {
    throw new OperatorError(
      `Account "${account}" has ${MAX_INVITATIONS} open invitations; withdraw some of them in the console.`,
    );
  }
  io.err(`Invites ${email} to account "${account}" as ${role}, once within ${INVITATION_DAYS} days:`);
  io.out(`${publicUrl}/console/invitations/${token}`);
}

/** @throws OperatorError if the running gateways have no provider, so that nobody could accept an invitation */
async function requireProvider(client: ClientBase, account: string): Promise<void> {
  const gateways = (await listProcesses(client)).filter(({ state }) => state !== 'gone');
  const answers = gateways.flatMap((each) => (each.program === 'gateway' ? [each.details.hasProvider] : []));
  if (answers.length === 0 || answers.some((hasProvider) => hasProvider !== false)) return;
  throw new OperatorError(
    'Nobody could accept the invitation, because the gateways have no sign-in provider. Set OIDC_ISSUER for them, or make a ' +
      `link that signs in once: "console link --account ${account}".`,
  );
}

async function removeOperatorOf(io: CommandIo, email: string): Promise<void> {
  const removed = await inDatabaseOf(io, (client) => removeOperator(client, email, currentActor()));
  if (!removed) throw new OperatorError(`No operator has the address ${email}.`);
  io.err(`${email} is no longer an operator, and their sessions have ended.`);
}

async function endSessionsOf(io: CommandIo, { account, person }: EndOptions): Promise<void> {
  const whose =
    account === undefined
      ? person !== undefined && { person: person.trim().normalize() }
      : person === undefined && { account };
  if (!whose) throw new OperatorError('Give either --account or --person.');
  const count = await inDatabaseOf(io, (client) => endSessions(client, whose, currentActor()));
  if (count === null) throw unknownAccount(account ?? '');
  io.err(
    `${count} ${count === 1 ? 'session' : 'sessions'} ended; open streams of the console end within five seconds.`,
  );
}
