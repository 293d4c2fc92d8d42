import { Option } from 'commander';
import { type Finding, failed, ok, warning } from '../../administration/health/finding.ts';
import { verifyHistory } from '../../consumers/verify-history.ts';
import { ROLES, type Role } from '../../kafka/connection/role-rights.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { showControls } from '../../schemas/show-controls.ts';
import { readReplicaUrls } from '../../service/database-address.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { readOldestNode, readVersion } from '../../service/version.ts';
import { createPaint, type Paint } from '../colours.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig, createKafkaConfig } from '../config.ts';
import { withDatabase } from '../database.ts';
import { checkKafka } from '../doctor/check-kafka.ts';
import { checkPostgres } from '../doctor/check-postgres.ts';
import { checkRegistry } from '../doctor/check-registry.ts';
import { checkReplicas } from '../doctor/check-replicas.ts';
import { examine, examineAs, inTime } from '../doctor/examine.ts';

const EXAMPLES = `
Examples:
  npm run ops -- doctor
  npm run ops -- doctor --role gateway
  npm run ops -- doctor --json | jq '.findings[] | select(.status != "ok")'`;

/** `doctor [--role ROLE...] [--json]`. */
export const define: DefineCommand = (command, io) => {
  command
    .option('--json', 'print one JSON object instead of lines')
    .addOption(
      new Option('--role <roles...>', 'check the rights on Kafka of these roles, with whose settings it runs')
        .choices(ROLES)
        .default(['ops']),
    )
    .addHelpText('after', EXAMPLES)
    .action(({ json = false, role }: { json?: boolean; role: Role[] }) => diagnose(role, json, io));
};

/** @throws OperatorError if a check has failed */
async function diagnose(roles: Role[], json: boolean, io: CommandIo): Promise<void> {
  const findings = await findAll(roles, io);
  const count = (status: Finding['status']) => findings.filter((each) => each.status === status).length;
  if (json) io.out(JSON.stringify({ ok: count('failed') === 0, findings }));
  else for (const line of format(findings, createPaint(io))) io.out(line);
  const warnings = count('warning') === 1 ? '1 warning' : `${count('warning')} warnings`;
  if (count('failed') > 0) {
    const checks = count('failed') === 1 ? '1 check' : `${count('failed')} checks`;
    throw new OperatorError(`${checks} failed, with ${warnings}.`);
  }
  io.err(`Nothing failed, with ${warnings}.`);
}

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

function format(findings: Finding[], paint: Paint): string[] {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  return findings.map(
    ({ status, subject, text, since }) =>
      `${paint(COLOURS[status], status.padEnd(7))}  ${subject.padEnd(width)}  ${showControls(text)}${since ? ` Since ${since.toISOString()}.` : ''}`,
  );
}

async function findAll(roles: Role[], io: CommandIo): Promise<Finding[]> {
  const env = readEnv(io.env);
  const database = attempt(() => createDatabaseConfig(env));
  const kafka = attempt(() => createKafkaConfig(env));
  const replicas = attempt(() => readReplicaUrls(env));
  const findings = [checkNode()];
  for (const config of [database, kafka, replicas]) {
    if (config instanceof Error) findings.push(failed('settings', config.message));
  }
  const [ofDatabase, ofKafka, ofRegistry] = await Promise.all([
    database instanceof Error
      ? []
      : examineDatabase(database.databaseUrl, replicas instanceof Error ? [] : replicas),
    kafka instanceof Error ? [] : checkKafka(kafka, roles),
    checkRegistry(env),
  ]);
  findings.push(...ofDatabase, ...ofKafka, ...ofRegistry);
  const answers = (subject: string) =>
    findings.some((each) => each.subject === subject && each.status === 'ok');
  if (database instanceof Error || kafka instanceof Error || !answers('Postgres') || !answers('Kafka')) {
    return [
      ...findings,
      warning('history', 'Not checked, because it needs both servers: correct them first.'),
    ];
  }
  return [...findings, ...(await checkHistory(database.databaseUrl, kafka, roles))];
}

/** @returns the value, or a sentence about an invalid setting */
function attempt<T>(read: () => T): T | OperatorError {
  try {
    return read();
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}

function checkNode(): Finding {
  const { node } = process.versions;
  const text = `Node ${node}, and version ${readVersion()} of the service.`;
  if (Number.parseInt(node, 10) >= readOldestNode()) return ok('versions', text);
  return failed('versions', `${text} It needs Node ${readOldestNode()} or newer: install that.`);
}

async function examineDatabase(databaseUrl: string, readDatabaseUrls: readonly string[]): Promise<Finding[]> {
  const startedAt = performance.now();
  return examine('Postgres', async () => {
    // A silent server also delays the end of the connection, so nothing waits for that.
    const checked = Promise.withResolvers<Finding[]>();
    const work = withDatabase(databaseUrl, 'doctor', async (client) => {
      const ms = Math.round(performance.now() - startedAt);
      const place = `${client.host}:${client.port}/${client.database}`;
      const answer = ok('Postgres', `${place} answers in ${ms} ms.`);
      const findings = [answer, ...(await checkPostgres(client, databaseUrl))];
      const ofReplicas = await examine('replica', () => checkReplicas(client, readDatabaseUrls));
      checked.resolve([...findings, ...ofReplicas]);
    });
    return Promise.race([checked.promise, work.then(() => checked.promise)]);
  });
}

/** Whether the database has every change that Kafka has published. */
function checkHistory(
  databaseUrl: string,
  { brokers, topicPrefix }: ReturnType<typeof createKafkaConfig>,
  roles: Role[],
): Promise<Finding[]> {
  const topic = topicNames(topicPrefix).changes;
  const verify = withDatabase(databaseUrl, 'doctor', (client) => verifyHistory(client, { brokers, topic }));
  return examineAs(roles, 'history', async () => {
    await inTime(verify, 'Postgres or Kafka');
    return [ok('history', 'The database has every change that Kafka has published.')];
  });
}
