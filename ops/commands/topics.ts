import { Option } from 'commander';
import { listRoleRights, ROLES, type Role } from '../../kafka/connection/role-rights.ts';
import { planTopicChanges, type TopicChange } from '../../kafka/topics/plan-topics.ts';
import { applyTopics, checkTopics } from '../../kafka/topics/topics.ts';
import { showControls } from '../../schemas/show-controls.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { type CommandIo, type DefineCommand, UnfinishedError } from '../command.ts';
import { createTopicConfig } from '../config.ts';
import { requireKafka } from '../require-servers.ts';
import { renderCommands, renderStrimzi, renderTable } from '../topics/acls.ts';

const UP_TO_DATE = 'The topics have the right settings.';

const EXAMPLES = `
Examples:
  npm run ops -- topics check
  npm run ops -- topics plan
  npm run ops -- topics apply`;

const ACL_EXAMPLES = `
Examples:
  npm run ops -- topics acls
  npm run ops -- topics acls --role gateway --user 'gateway=CN=ballot-gateway,O=Example'
  npm run ops -- topics acls --format strimzi --cluster kafka --authentication tls`;

/** `topics apply`, `topics plan`, `topics check` and `topics acls`. */
export const define: DefineCommand = (topics, io) => {
  topics
    .command('apply')
    .description('create the topics that are missing and correct the settings of the others')
    .addHelpText('after', EXAMPLES)
    .action(() => apply(io));
  topics
    .command('plan')
    .description(
      'show what apply would do, and change nothing; the exit status is 2 if there is anything, and 1 if the topics ' +
        'differ in a way that apply cannot correct',
    )
    .addHelpText('after', EXAMPLES)
    .action(() => plan(io));
  topics
    .command('check')
    .description('name every setting of the topics that is wrong, and change nothing')
    .addHelpText('after', EXAMPLES)
    .action(() => check(io));
  topics
    .command('acls')
    .description('print the rights on Kafka that each role needs, and connect to nothing')
    .addOption(
      new Option('--format <format>', 'lines of kafka-acls, users of Strimzi, or a table in Markdown')
        .choices(['commands', 'strimzi', 'table'])
        .default('commands'),
    )
    .addOption(new Option('--role <roles...>', 'only these roles').choices(ROLES))
    .option('--user <role=name...>', 'the user of a role; by default ballot- and the role', collectUsers, {})
    .option('--without-console', "leave out the rights of the console's pages for operators")
    .option('--cluster <name>', "the name of Strimzi's Kafka resource", 'my-cluster')
    .addOption(
      new Option('--authentication <type>', "how Strimzi's users log in")
        .choices(['scram-sha-512', 'tls'])
        .default('scram-sha-512'),
    )
    .addHelpText('after', ACL_EXAMPLES)
    .action((options: AclOptions) => printAcls(options, io));
};

interface AclOptions {
  format: 'commands' | 'strimzi' | 'table';
  role?: Role[];
  user: Partial<Record<Role, string>>;
  withoutConsole?: true;
  cluster: string;
  authentication: string;
}

function collectUsers(text: string, users: Partial<Record<Role, string>>): Partial<Record<Role, string>> {
  const [, name, user] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  const role = ROLES.find((known) => known === name);
  if (role === undefined || user === undefined) {
    throw new OperatorError(
      `--user is "${text}"; it must be like gateway=NAME, for one of ${ROLES.join(', ')}.`,
    );
  }
  return { ...users, [role]: user };
}

function printAcls(options: AclOptions, io: CommandIo): void {
  const { topicPrefix } = createTopicConfig(readEnv(io.env));
  const rights = listRoleRights(topicPrefix)
    .filter(({ role }) => options.role?.includes(role) ?? true)
    .filter(({ onlyConsole }) => !(onlyConsole && options.withoutConsole));
  const userOf = (role: Role) => options.user[role] ?? `ballot-${role}`;
  const lines = {
    commands: () => renderCommands(rights, (role) => `User:${userOf(role)}`),
    strimzi: () => renderStrimzi(rights, { ...options, userOf }),
    table: () => renderTable(rights),
  };
  for (const line of lines[options.format]()) io.out(line);
}

async function apply(io: CommandIo): Promise<void> {
  const done = await applyTopics(await requireKafka(io));
  for (const line of done) io.out(line);
  if (done.length === 0) io.out(UP_TO_DATE);
}

/**
 * @throws OperatorError if `apply` cannot correct a difference
 * @throws UnfinishedError if there are changes to make
 */
async function plan(io: CommandIo): Promise<void> {
  const changes = await planTopicChanges(await requireKafka(io));
  if (changes.length === 0) return io.out(UP_TO_DATE);
  for (const line of changes.flatMap(describe)) io.out(showControls(line));
  const refused = changes.filter(({ kind }) => kind === 'refused').length;
  if (refused > 0) {
    throw new OperatorError(
      `"topics apply" cannot correct ${refused} of these ${changes.length} differences.`,
    );
  }
  throw new UnfinishedError(
    `"npm run ops -- topics apply" makes ${changes.length === 1 ? 'this change' : `these ${changes.length} changes`}.`,
  );
}

/** A change of a plan in lines for people: one line, or several for a new topic. */
function describe(change: TopicChange): string[] {
  if (change.kind === 'refused') return [`refused: ${change.reason}`];
  const { kind, topic } = change;
  if (kind === 'set') return [`set ${change.setting} on ${topic}: ${change.from} -> ${change.to}`];
  if (kind === 'grow') return [`grow ${topic}: ${change.from} -> ${change.to} partitions`];
  const settings = Object.entries(change.config).map(([name, value]) => `  ${name}=${value}`);
  const size = `${change.partitions} partitions, replication factor ${change.replicationFactor}`;
  return [`create ${topic}: ${size}`, ...settings];
}

async function check(io: CommandIo): Promise<void> {
  const problems = await checkTopics(await requireKafka(io));
  for (const problem of problems) io.out(problem);
  if (problems.length > 0)
    throw new OperatorError('Run "npm run ops -- topics apply" to correct what it can.');
  io.out(UP_TO_DATE);
}
