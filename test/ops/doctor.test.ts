import { createServer, type Server } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Finding } from '../../administration/health/finding.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { createKafkaClient } from '../../kafka/connection/client.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { alterTopic } from '../helpers/kafka/topics.ts';
import { createTestDatabase } from '../helpers/postgres/database.ts';
import { Primary } from '../helpers/postgres/replica.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { listen } from '../helpers/servers/listen.ts';
import { SchemaRegistry } from '../helpers/servers/schema-registry.ts';
import { startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const run = createRunner('doctor');
const service = useTestService({ partitions: 2, roles: ['apply', 'relay', 'deliver'] });

function settings(other: Record<string, string> = {}): Record<string, string> {
  return { ...service.env(), CHANGES_PARTITIONS: '2', ...other };
}

interface Diagnosis {
  ok: boolean;
  findings: Finding[];
  /** The reason why the command failed; empty if it succeeded. */
  error: string;
  /** The findings of a status about a subject. */
  of(status: Finding['status'], subject: string): string;
}

async function diagnose(other: Record<string, string> = {}, ...args: string[]): Promise<Diagnosis> {
  const io = createIo(settings(other));
  const error = await run(['--json', ...args], io).then(
    () => '',
    ({ message }: Error) => message,
  );
  const { ok, findings } = JSON.parse(io.printed.join('\n')) as Diagnosis;
  const of: Diagnosis['of'] = (status, subject) =>
    findings
      .filter((each) => each.status === status && each.subject === subject)
      .map(({ text }) => text)
      .join('\n');
  return { ok, findings, error, of };
}

const query = (text: string, url = service.databaseUrl) => withClient(url, (client) => client.query(text));

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A port that accepts connections and never answers, or a closed one. */
async function openPort({ isClosed = false } = {}): Promise<number> {
  const server = createServer(() => {});
  const port = await listen(server);
  if (isClosed) server.close();
  else servers.push(server);
  return port;
}

test('a healthy service has no failed check, and a line for each check', async () => {
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  await service.eventsOnceThereAre(1);
  await until('both roles are led, as their process writes', async () => {
    const { findings } = await diagnose();
    return findings.some(({ subject, status }) => subject === 'processes' && status === 'ok');
  });
  const { ok, error, findings, of } = await diagnose();
  expect(findings.filter(({ status }) => status === 'failed')).toEqual([]);
  expect([ok, error]).toEqual([true, '']);
  expect(new Set(findings.map(({ subject }) => subject))).toEqual(
    new Set([
      ...['versions', 'Postgres', 'Postgres version', 'Postgres TLS', 'Postgres settings'],
      ...['Postgres connections', 'migrations', 'Postgres rights', 'clock', 'processes'],
      ...['Kafka', 'Kafka rights', 'topics', 'schemas', 'history'],
    ]),
  );
  expect(of('ok', 'Kafka')).toMatch(/answers in \d+ ms over PLAINTEXT; the cluster has 1 broker\./);
  expect(of('ok', 'processes')).toBe('1 gateway and 1 consumer are ready.');
  expect(of('ok', 'schemas')).toBe('This version can read the newest records of 1 partition.');
  // The Postgres of tests does not survive a power cut.
  expect(of('warning', 'Postgres settings')).toContain('fsync is off');

  const io = createIo(settings());
  expect(await run([], io)).toBe(0);
  expect(io.printed).toHaveLength(findings.length);
  expect(io.printed[0]).toMatch(/^ok {7}versions +Node /);
  expect(io.told).toEqual([expect.stringMatching(/^Nothing failed, with \d+ warnings\.$/)]);
});

describe('during an outage of one server', () => {
  test('Kafka is checked without Postgres', async () => {
    const port = await openPort({ isClosed: true });
    const { of, ok, error } = await diagnose({ DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/d` });
    expect(of('failed', 'Postgres')).toMatch(/does not answer \(.*ECONNREFUSED/);
    expect(of('ok', 'topics')).toBe('The topics have the right settings.');
    expect(of('warning', 'history')).toMatch(/^Not checked/);
    expect([ok, error]).toEqual([false, expect.stringMatching(/^1 check failed, with \d warnings?\.$/)]);
  });

  test('Postgres is checked without Kafka', async () => {
    const port = await openPort({ isClosed: true });
    const { of } = await diagnose({ KAFKA_BROKERS: `127.0.0.1:${port}` });
    expect(of('failed', 'Kafka')).toContain(`Kafka at 127.0.0.1:${port} does not answer`);
    expect(of('ok', 'migrations')).toBe('The schema is up to date.');
    expect(of('warning', 'topics')).toMatch(/^Not checked/);
  });

  test('a missing broker is named, and the others answer', async () => {
    const port = await openPort({ isClosed: true });
    const broker = service.brokers.addresses[0];
    const { of } = await diagnose({ KAFKA_BROKERS: `127.0.0.1:${port},${broker}` });
    expect(of('failed', 'Kafka')).toContain(`127.0.0.1:${port}`);
    expect(of('ok', 'Kafka')).toContain(broker);
    expect(of('ok', 'topics')).not.toBe('');
  });

  test('settings that are missing or wrong are named', async () => {
    const { findings } = await diagnose({ DATABASE_URL: '', KAFKA_BROKERS: 'host' });
    const failed = findings.filter(({ status }) => status === 'failed').map(({ text }) => text);
    expect(failed).toEqual([
      expect.stringContaining('DATABASE_URL is not set'),
      expect.stringContaining('KAFKA_BROKERS is "host"'),
    ]);
  });

  test('silent servers do not keep the program from ending', async () => {
    const port = await openPort();
    const doctor = startProcess(
      'ops/main.ts',
      settings({ DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/d`, KAFKA_BROKERS: `127.0.0.1:${port}` }),
      ['doctor'],
    );
    await until('its end', () => doctor.exitCode() !== null, 60_000);
    expect(doctor.exitCode()).toBe(1);
    expect(doctor.output()).toMatch(/failed +Postgres +.*does not answer/);
    expect(doctor.output()).toMatch(/failed +Kafka +.*gave no answer within 10 s/);
  });
});

describe('faults are found', () => {
  test('settings of a topic', async () => {
    const { changes: name } = topicNames(service.topicPrefix);
    await withAdmin(service.brokers, (admin) => alterTopic(admin, name, { 'retention.bytes': '9000000' }));
    const { of } = await diagnose();
    expect(of('failed', 'topics')).toContain(`${name} has retention.bytes=9000000`);
    expect(await createRunner('topics')(['apply'], createIo(settings()))).toBe(0);
  });

  test('a missing topic', async () => {
    const { of } = await diagnose({ TOPIC_PREFIX: 'none-' });
    expect(of('failed', 'topics')).toContain('none-endorsement-changes is missing');
    expect(of('warning', 'Kafka rights')).toContain('because the topic is missing');
    const told = 'There is no topic none-endorsement-changes: "npm run ops -- topics apply" creates it.';
    expect([of('failed', 'events'), of('failed', 'history')]).toEqual([told, told]);
  });

  test('an outdated schema', async () => {
    const databaseUrl = await createTestDatabase();
    const told = async () => (await diagnose({ DATABASE_URL: databaseUrl })).of('failed', 'migrations');
    await query("INSERT INTO schema_migrations (name, checksum) VALUES ('999-later.sql', '')", databaseUrl);
    expect(await told()).toContain('The database is newer than this program');
    await query("DELETE FROM schema_migrations WHERE name = 'baseline'", databaseUrl);
    expect(await told()).toContain('A version before 1.0.0 made this database');
    await query('DELETE FROM schema_migrations', databaseUrl);
    expect(await told()).toMatch(
      /^The schema lacks baseline(, [\w-]+\.sql)*: run "npm run ops -- migrate"\.$/,
    );
  });

  test('a database that lacks published changes', async () => {
    // All databases of a run begin with the same epoch, as a backup from before the first change does.
    const { of } = await diagnose({ DATABASE_URL: await createTestDatabase() });
    expect(of('failed', 'history')).toContain('Kafka has published change');
    expect(of('warning', 'processes')).toContain('No process leads apply');
  });

  test('a user without rights on the tables', async () => {
    const url = new URL(service.databaseUrl);
    const role = `guest${url.pathname.replace('/', '_')}`;
    await query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    const { of } = await diagnose({
      DATABASE_URL: Object.assign(url, { username: role, password: 'secret' }).href,
    });
    expect(of('failed', 'Postgres rights')).toMatch(
      new RegExp(`^The user "${role}" may not read and write \\S+, \\S+, \\S+ and \\d+ more tables: `),
    );
    await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test('a Postgres whose connections other users have taken', async () => {
    const primary = await Primary.start({ max_connections: '20' });
    for (const role of ['service', 'other']) {
      await query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`, primary.server.url);
    }
    const as = (username: string) =>
      Object.assign(new URL(primary.server.url), { username, password: 'secret' }).href;
    const others = Array.from({ length: 15 }, () => new pg.Client({ connectionString: as('other') }));
    await Promise.all(others.map((client) => client.connect()));
    const { of } = await diagnose({ DATABASE_URL: as('service') });
    await Promise.all(others.map((client) => client.end()));
    await primary.stop();
    expect(of('warning', 'Postgres connections')).toBe(
      '16 of 20 connections are taken: raise max_connections, or stop programs that need none.',
    );
  });

  test('an unreadable newest record, and a wrong time', async () => {
    await query(
      `INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, obstacle, details)
       VALUES (gen_random_uuid(), 'gateway', 'h', 7, '0.0.9', now(), now(), 'it is tired', '{}'),
         (gen_random_uuid(), 'gateway', 'h', 6, '0.0.8', now(), now() - interval '2 minutes', NULL, '{}')`,
    );
    const kafka = createKafkaClient({ brokers: service.brokers, clientId: 'test' });
    const producer = kafka.producer();
    await producer.connect();
    const { changes: topic } = topicNames(service.topicPrefix);
    await producer.send({ topic, messages: [{ partition: 1, key: 'x', value: 'garbage' }] });
    await producer.disconnect();
    const { of, findings } = await diagnose();
    expect(of('failed', 'schemas')).toMatch(
      /^This version cannot read the newest records of the partitions 1:/,
    );
    const times = findings.flatMap(({ since }) => (since ? [Date.parse(String(since)) - Date.now()] : []));
    expect(Math.min(...times) / -60_000).toBeCloseTo(2, 0);
    expect(of('failed', 'processes')).toContain('The gateway process 7 on h is not ready (it is tired)');
    const warnings = of('warning', 'processes');
    expect(warnings).toMatch(/^The gateway process 6 on h does not report any more, /);
    // The process that is gone has another version, but does not run.
    expect(warnings).toContain('Processes of version 0.0.9 run beside this program');
  });
});

test('an unknown role is refused', async () => {
  await expect(run(['--role', 'king'], createIo(settings()))).rejects.toThrow(/'king' is invalid/);
});

test('a schema registry is checked if one is named', async () => {
  const registry = await SchemaRegistry.start();
  const named = { SCHEMA_REGISTRY_URL: registry.url };
  const isOfRegistry = ({ subject }: Finding) => subject === 'registry';
  const findAbout = async (env: Record<string, string>) =>
    (await diagnose(env)).findings.filter(isOfRegistry);
  const statuses = (findings: Finding[]) => findings.map(({ status }) => status);
  expect(await findAbout({})).toEqual([]);
  expect(statuses(await findAbout(named))).toEqual(['failed', 'failed', 'failed']);
  await createRunner('schemas')(['register'], createIo(settings(named)));
  expect(statuses(await findAbout(named))).toEqual(['ok']);
  await registry.stop();
  expect(await findAbout(named)).toMatchObject([
    { status: 'failed', text: expect.stringContaining('does not answer') },
  ]);
});
