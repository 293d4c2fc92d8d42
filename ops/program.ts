import { getSystemErrorMessage } from 'node:util';
import { Command, CommanderError } from 'commander';
import { OperatorError } from '../service/operator-error.ts';
import type { CommandIo, DefineCommand } from './command.ts';
import { describeOutage } from './describe-outage.ts';
import { completeHelp, describeEnvironment, EXIT_STATUS, type UsedSettings } from './help.ts';

const POSTGRES: readonly UsedSettings[] = ['postgres'];
const BOTH: readonly UsedSettings[] = ['postgres', 'kafka'];

/** The commands in the order of the help, with their settings and descriptions. Each is in its file of `commands/`. */
const COMMANDS: [name: string, settings: readonly UsedSettings[], description: string][] = [
  ['migrate', POSTGRES, 'bring the database to the newest schema'],
  ['topics', ['kafka', 'topics'], 'create or check the Kafka topics'],
  ['schemas', ['registry'], 'put the Avro schemas of the topics into a schema registry, or check them there'],
  ['catalog', POSTGRES, 'load elections, contests and endorsers from files'],
  ['officeholders', POSTGRES, 'load the people in office from Open States'],
  ['submit', BOTH, 'send endorsements from files to Kafka'],
  ['aliases', POSTGRES, 'list, export, import or forget the decisions about names in tables'],
  ['webhooks', POSTGRES, 'list, show, retry or disable webhooks, or print deliveries on this machine'],
  ['rejected', BOTH, 'list and show submissions that were rejected, or send them again'],
  ['submissions', BOTH, 'skip a submission that stops the consumers'],
  ['console', POSTGRES, 'let people in to the console, and end their sessions'],
  ['keys', POSTGRES, 'create, list and revoke API keys'],
  ['accounts', POSTGRES, 'list, suspend and resume accounts, or change their plans'],
  ['plans', POSTGRES, 'list plans, or change their limits'],
  ['usage', POSTGRES, 'show the requests of all accounts, or of one'],
  ['audit', POSTGRES, 'show changes of accounts, keys and plans'],
  ['lag', BOTH, 'show the work that the consumers have yet to do'],
  ['canary', BOTH, 'send test changes through the whole service, and measure their time'],
  [
    'doctor',
    ['postgres', 'kafka', 'topics', 'registry'],
    'check servers, certificates, rights, settings, clocks, history and processes',
  ],
  ['stream', BOTH, 'show, check or repair the stream, or begin a new epoch'],
  ['demo', [], 'generate an invented national catalogue'],
];

const EXAMPLES = `
Examples:
  npm run ops -- keys create --account acme --plan free
  npm run ops -- catalog import data/catalogue
  npm run ops -- submit data/endorsements.ndjson
  npm run ops -- help submit`;

/**
 * Runs a command of `npm run ops`. Requested help goes to standard output; help because of a missing subcommand goes to
 * standard error.
 *
 * @param given the arguments after `npm run ops --`; `help COMMAND` stands for `COMMAND --help`
 * @returns the exit status
 * @throws OperatorError if the arguments are wrong or the command fails
 */
export async function runProgram(given: string[], io: CommandIo): Promise<number> {
  const program = new Command('npm run ops --')
    .description('Operates the Ballot Endorsement Data Service.')
    .usage('COMMAND [arguments] [options]')
    .addHelpText('after', EXAMPLES)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
      // Mistakes throw, see below.
      outputError: () => {},
    });
  program.addHelpText('after', describeEnvironment(BOTH)).addHelpText('after', EXIT_STATUS);
  const [asked, ...rest] = given;
  const isUnknown = rest.length > 0 && COMMANDS.every(([name]) => name !== rest[0]);
  const help = isUnknown ? rest : [...rest, '--help'];
  const argv = asked === 'help' ? help : given;
  for (const [name, settings, description] of COMMANDS) {
    const command = program.command(name).description(description).helpCommand(false);
    if (argv[0] !== name) continue;
    const { define }: { define: DefineCommand } = await import(`./commands/${name}.ts`);
    define(command, io);
    completeHelp(command, settings);
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    const known = describeOutage(error, 'run the command again once it does') ?? describeUnusablePath(error);
    if (known !== null) throw new OperatorError(known, { cause: error });
    if (!(error instanceof CommanderError)) throw error;
    // Commander's codes for help that it has printed itself.
    if (error.code === 'commander.helpDisplayed') return 0;
    if (error.code === 'commander.help') return 1;
    throw new OperatorError(describeMistake(error, findCommand(program, argv)), { cause: error });
  }
}

/** The sentence for a file or folder that cannot be used, such as one without rights; null for any other error. */
function describeUnusablePath(error: unknown): string | null {
  const { errno, path } = error as NodeJS.ErrnoException;
  if (errno === undefined || path === undefined) return null;
  return `${path} cannot be used: ${getSystemErrorMessage(errno)}.`;
}

/** The names of the command and the subcommand at the beginning of the arguments, as far as they exist. */
function findCommand(program: Command, argv: string[]): string[] {
  const [name] = argv;
  const command = program.commands.find((known) => known.name() === name);
  return command ? [command.name(), ...findCommand(command, argv.slice(1))] : [];
}

/** Says in one sentence which argument is wrong and what to type instead. */
function describeMistake({ message }: CommanderError, command: string[]): string {
  const [, mistake = message, intended] =
    /^error: (.*?)\.?(?:\n\(Did you mean (.*)\?\))?$/s.exec(message) ?? [];
  const sentence = mistake.charAt(0).toUpperCase() + mistake.slice(1);
  if (intended !== undefined) return `${sentence}: did you mean ${intended}?`;
  return `${sentence}: see "${['npm run ops --', ...command, '--help'].join(' ')}".`;
}
