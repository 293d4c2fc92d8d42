import { Command, CommanderError } from 'commander';
import { explainFailure } from '../service/explain-failure.ts';
import { OperatorError } from '../service/operator-error.ts';
import type { CommandIo, DefineCommand } from './command.ts';
import { completeHelp, describeEnvironment, EXIT_STATUS, type UsedSettings } from './help.ts';
import { describeMissingTopic, findMissingTopic } from './missing-topic.ts';

const BOTH: readonly UsedSettings[] = ['postgres', 'kafka'];

/** The commands in the order of the help. A command's module is imported when it runs. */
const COMMANDS: {
  name: string;
  settings: readonly UsedSettings[];
  description: string;
  load: () => Promise<{ define: DefineCommand }>;
}[] = [
  {
    name: 'migrate',
    settings: ['postgres'],
    description: 'bring the database to the newest schema',
    load: () => import('./commands/migrate.ts'),
  },
  {
    name: 'topics',
    settings: ['kafka', 'topics'],
    description: 'create or check the Kafka topics',
    load: () => import('./commands/topics.ts'),
  },
  {
    name: 'schemas',
    settings: ['registry'],
    description: 'put the Avro schemas of the topics into a schema registry, or check them there',
    load: () => import('./commands/schemas.ts'),
  },
  {
    name: 'catalog',
    settings: ['postgres'],
    description: 'load elections, contests and endorsers from files',
    load: () => import('./commands/catalog.ts'),
  },
  {
    name: 'officeholders',
    settings: ['postgres'],
    description: 'load the people in office from Open States',
    load: () => import('./commands/officeholders.ts'),
  },
  {
    name: 'submit',
    settings: BOTH,
    description: 'send endorsements from files to Kafka',
    load: () => import('./commands/submit.ts'),
  },
  {
    name: 'aliases',
    settings: ['postgres'],
    description: 'list, export, import or forget the decisions about names in tables',
    load: () => import('./commands/aliases.ts'),
  },
  {
    name: 'webhooks',
    settings: ['postgres'],
    description: 'list, show, retry or disable webhooks, or print deliveries on this machine',
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'rejected',
    settings: BOTH,
    description: 'list and show submissions that were rejected, or send them again',
    load: () => import('./commands/rejected.ts'),
  },
  {
    name: 'submissions',
    settings: BOTH,
    description: 'skip a submission that stops the consumers',
    load: () => import('./commands/submissions.ts'),
  },
  {
    name: 'console',
    settings: ['postgres'],
    description: 'let people in to the console, and end their sessions',
    load: () => import('./commands/console.ts'),
  },
  {
    name: 'keys',
    settings: ['postgres'],
    description: 'create, list and revoke API keys',
    load: () => import('./commands/keys.ts'),
  },
  {
    name: 'accounts',
    settings: ['postgres'],
    description: 'list, suspend and resume accounts, or change their plans',
    load: () => import('./commands/accounts.ts'),
  },
  {
    name: 'plans',
    settings: ['postgres'],
    description: 'list plans, or change their limits',
    load: () => import('./commands/plans.ts'),
  },
  {
    name: 'usage',
    settings: ['postgres'],
    description: 'show the requests of all accounts, or of one',
    load: () => import('./commands/usage.ts'),
  },
  {
    name: 'audit',
    settings: ['postgres'],
    description: 'show changes of accounts, keys and plans',
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'lag',
    settings: BOTH,
    description: 'show the work that the consumers have yet to do',
    load: () => import('./commands/lag.ts'),
  },
  {
    name: 'canary',
    settings: BOTH,
    description: 'send test changes through the whole service, and measure their time',
    load: () => import('./commands/canary.ts'),
  },
  {
    name: 'doctor',
    settings: ['postgres', 'kafka', 'topics', 'registry'],
    description: 'check servers, certificates, rights, settings, clocks, history and processes',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'stream',
    settings: BOTH,
    description: 'show, check or repair the stream, or begin a new epoch',
    load: () => import('./commands/stream.ts'),
  },
  {
    name: 'demo',
    settings: [],
    description: 'generate an invented national catalogue',
    load: () => import('./commands/demo.ts'),
  },
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
  const argv = asked === 'help' ? [...rest, '--help'] : given;
  for (const { name, settings, description, load } of COMMANDS) {
    const command = program.command(name).description(description).helpCommand(false);
    if (argv[0] !== name) continue;
    (await load()).define(command, io);
    completeHelp(command, settings);
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    const topic = findMissingTopic(error);
    if (topic !== null) {
      throw new OperatorError(`${describeMissingTopic(topic)}, unless TOPIC_PREFIX is wrong.`, {
        cause: error,
      });
    }
    const outage = describeOutage(error);
    if (outage !== null) throw new OperatorError(outage, { cause: error });
    if (!(error instanceof CommanderError)) throw error;
    // Commander's codes for help that it has printed itself.
    if (error.code === 'commander.helpDisplayed') return 0;
    if (error.code === 'commander.help') return 1;
    throw new OperatorError(describeMistake(error, findCommand(program, argv)), { cause: error });
  }
}

/** The sentence for a server that failed during a command; null for any other error. */
function describeOutage(error: unknown): string | null {
  const { failure, refusal, reason } = explainFailure(error);
  if (error instanceof OperatorError || (failure !== 'database_away' && failure !== 'kafka_away'))
    return null;
  if (refusal !== null) return refusal;
  const message = (error as Error).message.replace(/\.$/, '');
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)} (${message}): run the command again once it does.`;
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
