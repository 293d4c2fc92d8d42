import type { Command } from 'commander';

/** The settings that a command reads: the addresses of its servers, and the properties of the topics. */
export type UsedSettings = 'postgres' | 'kafka' | 'topics' | 'registry';

const SETTINGS: Record<UsedSettings, [name: string, meaning: string][]> = {
  postgres: [
    ['DATABASE_URL', 'the database, such as postgres://user:password@host:5432/database'],
    ['DATABASE_...', 'certificates and a password file, which docs/deployment.md lists'],
  ],
  kafka: [
    ['KAFKA_BROKERS', 'the brokers, each host:port, separated by commas'],
    ['KAFKA_...', 'TLS and the user, which docs/deployment.md lists'],
    ['TOPIC_PREFIX', "the beginning of every topic's name; empty by default"],
  ],
  topics: [
    ['RETENTION_MS', 'how long an event stays readable, in milliseconds; a week by default'],
    ['CHANGES_PARTITIONS', 'the partitions of the topic of changes; 12 by default'],
  ],
  registry: [
    ['SCHEMA_REGISTRY_URL', 'the schema registry, such as https://registry.example.org:8081'],
    ['SCHEMA_REGISTRY_...', 'its user, token, certificates and names, which docs/deployment.md lists'],
  ],
};
const DATA_DIR: [string, string] = [
  'DATA_DIR',
  'a folder of "npm start", .data by default: its servers are used if none is named above',
];

/** The settings that a command reads from the environment, as a section of its help. */
export function describeEnvironment(used: readonly UsedSettings[]): string {
  if (used.length === 0) return '';
  const settings = [...used.flatMap((each) => SETTINGS[each]), DATA_DIR];
  return section(
    'Environment',
    settings.map(([name, meaning]) => `${name.padEnd(21)}${meaning}`),
  );
}

/** Adds the environment and the exit status to the help of a command and all its subcommands. */
export function completeHelp(command: Command, used: readonly UsedSettings[]): void {
  const environment = describeEnvironment(used);
  if (environment !== '') command.addHelpText('after', environment);
  command.addHelpText('after', EXIT_STATUS);
  for (const each of command.commands) completeHelp(each, used);
}

function section(title: string, lines: string[]): string {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** The exit statuses of all commands, as a section of their help. */
export const EXIT_STATUS = section('Exit status', [
  '0  all went well',
  '1  something was wrong, as the last line on standard error says',
  '2  the time was up, or Ctrl-C was pressed, before the work or a wait had ended; or "topics plan" found changes to make',
]);
