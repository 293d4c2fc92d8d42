import os from 'node:os';
import { ROLES, type Role } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv, readServiceUrl } from '../../service/running-service.ts';
import { createLink, LINK_MINUTES } from '../../store/console/links.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { currentActor, inOneTransaction } from '../database.ts';
import { showControls } from '../table.ts';

const MAX_PERSON_LENGTH = 100;

const EXAMPLES = `
Examples:
  npm run ops -- console link --account acme
  npm run ops -- console link --account acme --role operator --person ann@example.org
  LINK=$(npm run --silent ops -- console link --account acme)`;

/** `console link`. */
export const define: DefineCommand = (command, io) => {
  command
    .command('link')
    .description(
      `make a link that signs somebody in to the console once, within ${LINK_MINUTES} minutes; print it, alone`,
    )
    .requiredOption('--account <name>', 'the account that the console shows')
    .option('--role <role>', `what the person may do: ${ROLES.join(', ')}`, parseRole, 'owner')
    .option('--person <name>', 'the name of the person in the audit log; your own by default', parsePerson)
    .addHelpText('after', EXAMPLES)
    .action((options: LinkOptions) => link(io, options));
};

export interface LinkOptions {
  account: string;
  role: Role;
  person?: string;
}

/**
 * Makes a link that signs somebody in to the console.
 *
 * @param publicUrl the address of the service, without a slash at its end
 * @throws OperatorError if there is no such account
 */
export async function createConsoleLink(
  { databaseUrl, publicUrl }: { databaseUrl: string; publicUrl: string },
  { account, role, person }: Required<LinkOptions>,
): Promise<string> {
  const token = await inOneTransaction(databaseUrl, (client) =>
    createLink(client, { account, role, person }, currentActor()),
  );
  if (token === null) {
    throw new OperatorError(
      `There is no account "${account}"; "accounts list" shows every account, and "keys create" makes one.`,
    );
  }
  return `${publicUrl}/console/links/${token}`;
}

function parseRole(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role) return role;
  throw new OperatorError(`There is no role "${text}"; there are: ${ROLES.join(', ')}.`);
}

function parsePerson(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= MAX_PERSON_LENGTH && showControls(name) === name) return name;
  throw new OperatorError(
    `--person must have 1 to ${MAX_PERSON_LENGTH} characters, and no line breaks or other control characters.`,
  );
}

/** The name of the operating system's user, who may have none in a container. */
function ownName(): string {
  return currentActor().osUser ?? `user ${os.userInfo().uid}`;
}

async function link(io: CommandIo, { account, role, person = ownName() }: LinkOptions): Promise<void> {
  const env = readEnv(io.env);
  const { databaseUrl } = createDatabaseConfig(env);
  const publicUrl = readServiceUrl(env);
  const address = await createConsoleLink({ databaseUrl, publicUrl }, { account, role, person });
  io.err(`Signs in as ${person}, ${role} of account "${account}", once within ${LINK_MINUTES} minutes:`);
  io.out(address);
}
