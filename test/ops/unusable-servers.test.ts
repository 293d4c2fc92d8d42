import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { requireBrokers } from '../../kafka/connection/admin.ts';
import { withDatabase } from '../../ops/database.ts';
import { plaintextBrokers } from '../../service/brokers.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { createTestDatabase } from '../helpers/postgres/database.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { listen } from '../helpers/servers/listen.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';
import { useFolder } from '../helpers/use-folder.ts';

const inFolder = useFolder();

/** Runs a program. @returns its exit status and its standard error */
async function runProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ status: unknown; told: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { ...INHERITED_ENV, DATA_DIR: inFolder(), ...env } },
      (_error, _stdout, told) => resolve({ status: child.exitCode, told }),
    );
  });
}
/** Runs a command as a process of its own, which also shows that it ends. */
const runOps = (line: string, env: Record<string, string>) => runProgram('ops/main.ts', line.split(' '), env);

/** Runs a command in this process, which is quicker. */
async function ops(line: string, env: Record<string, string>): Promise<{ status: unknown; told: string }> {
  const [name = '', ...args] = line.split(' ');
  const io = createIo({ DATA_DIR: inFolder(), ...env });
  const status = await runToExit(createRunner(name), args, io);
  return { status, told: io.told.map((each) => `${each}\n`).join('') };
}

/** The test server's address with some parts changed. */
function addressOf(parts: Partial<Record<'username' | 'password' | 'pathname' | 'port', string>>): string {
  return Object.assign(new URL(testServers().databaseUrl), parts).href;
}

async function findClosedPort(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  return String(port);
}

const EXAMPLE = 'it must be like postgres://user:password@host:5432/database';

describe('a database that cannot be used is reported in one sentence, without its password', () => {
  test.each([
    ['no address', 'foo', `DATABASE_URL is "foo"; ${EXAMPLE}`],
    [
      'a password that breaks the address',
      'postgres://u:se#cret@h/d',
      `DATABASE_URL is "postgres:…"; ${EXAMPLE}`,
    ],
    ['another protocol', 'mysql://u:secret@h/d', `DATABASE_URL is "mysql:…"; ${EXAMPLE}`],
    ['a missing host', 'postgres://u:secret@h.invalid/d', 'Postgres at h.invalid:5432 does not answer'],
    [
      'a missing certificate',
      'postgres://u:secret@h/d?sslrootcert=/nowhere/ca.crt',
      'DATABASE_CA (sslrootcert of DATABASE_URL) is "/nowhere/ca.crt", which cannot be read (ENOENT)',
    ],
  ])('%s', async (_, url, message) => {
    const { status, told } = await ops('keys list', { DATABASE_URL: url });
    expect(status).toBe(1);
    expect(told).toMatch(/^[^\n]+\.\n$/);
    expect(told).toContain(message);
    expect(told).not.toContain('cret');
  });

  test('a closed port', async () => {
    const port = await findClosedPort();
    const told = `Postgres at 127.0.0.1:${port} does not answer (connect ECONNREFUSED 127.0.0.1:${port}): start it, or name another in DATABASE_URL.\n`;
    const env = {
      DATABASE_URL: addressOf({ port }),
      KAFKA_BROKERS: testServers().brokers.addresses.join(','),
    };
    for (const line of [
      'keys list',
      'accounts list',
      'plans list',
      'aliases list',
      'webhooks list',
      'audit list',
      'migrate',
      'canary setup',
      'stream check',
      'stream repair',
      'stream new-epoch',
      'rejected retry',
    ]) {
      expect([line, await ops(line, env)]).toEqual([line, { status: 1, told }]);
    }
  });

  test('an unknown user, password or database', async () => {
    const { host, username } = new URL(testServers().databaseUrl);
    const wrong = await ops('keys list', { DATABASE_URL: addressOf({ password: 'secret' }) });
    expect(wrong.told).toBe(
      `Postgres at ${host} refuses the user or the password (password authentication failed for user "${username}"): ` +
        'correct DATABASE_URL or DATABASE_PASSWORD_FILE.\n',
    );
    const none = await runOps('keys list', { DATABASE_URL: addressOf({ password: '' }) });
    expect(none.told).toMatch(`Postgres at ${host} refuses the user or the password (SASL`);
    const missing = await ops('keys list', { DATABASE_URL: addressOf({ pathname: '/none' }) });
    expect(missing.told).toBe(
      `Postgres at ${host} has no such database (database "none" does not exist): create it, or name another in DATABASE_URL.\n`,
    );
  });

  test('a replica', async () => {
    const databaseUrl = await createTestDatabase();
    const { host, pathname } = new URL(databaseUrl);
    const { status, told } = await ops('keys create --account acme --plan free', {
      DATABASE_URL: `${databaseUrl}?options=-c%20default_transaction_read_only%3Don`,
    });
    expect(status).toBe(1);
    expect(told).toBe(
      `The database "${pathname.slice(1)}" at ${host} is a replica or read-only (cannot execute INSERT in a read-only ` +
        'transaction): name the primary in DATABASE_URL.\n',
    );
  });

  test('without a schema, the command that creates it', async () => {
    const { status, told } = await ops('keys list', { DATABASE_URL: addressOf({ pathname: '/postgres' }) });
    expect(status).toBe(1);
    expect(told).toMatch(/^The database "postgres" at .*: run "npm run ops -- migrate"\.\n$/);
  });

  test("a schema that is older or newer than the program, or not the user's", async () => {
    const databaseUrl = await createTestDatabase();
    await withClient(databaseUrl, async (client) => {
      await client.query('ALTER TABLE plans DROP COLUMN max_webhooks');
      const older = await ops('plans list', { DATABASE_URL: databaseUrl });
      expect(older.told).toMatch(
        /^The database ".*" at .* lacks .*max_webhooks.*: run "npm run ops -- migrate"\.\n$/,
      );
      await client.query("INSERT INTO schema_migrations (name, checksum) VALUES ('999-later.sql', '')");
      expect(await ops('migrate', { DATABASE_URL: databaseUrl })).toEqual({
        status: 1,
        told: 'The database is newer than this program: it has the unknown migration 999-later.sql. Run a newer version.\n',
      });
      const role = `guest_${randomBytes(6).toString('hex')}`;
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
      const url = Object.assign(new URL(databaseUrl), { username: role, password: 'secret' }).href;
      const { status, told } = await ops('keys list', { DATABASE_URL: url });
      await client.query(`DROP ROLE ${role}`);
      expect(status).toBe(1);
      expect(told).toMatch(
        /^The database ".*" at .* does not let the user do that \(.*\): name the owner of the tables in DATABASE_URL\.\n$/,
      );
    });
  });
});

test('a command ends although Postgres falls silent after its work', async () => {
  const way = await TcpProxy.open(await createTestDatabase());
  const work = withDatabase(way.url, 'ops', async (client) => {
    const { rows } = await client.query('SELECT 1 AS n');
    way.silence();
    return rows;
  });
  expect(await work).toEqual([{ n: 1 }]);
  await way.close();
});

test.each([
  ['lag', 'endorsement-submissions'],
  ['rejected list --all', 'endorsement-submissions-rejected'],
  ['stream check', 'endorsement-changes'],
])('"%s" names a topic that does not exist', async (line, topic) => {
  const TOPIC_PREFIX = 'none.';
  const DATABASE_URL = await createTestDatabase();
  const KAFKA_BROKERS = testServers().brokers.addresses.join(',');
  expect(await ops(line, { DATABASE_URL, KAFKA_BROKERS, TOPIC_PREFIX })).toEqual({
    status: 1,
    told: `There is no topic none.${topic}: "npm run ops -- topics apply" creates it, unless TOPIC_PREFIX is wrong.\n`,
  });
});

test('npm start reports it before it starts a server', async () => {
  const started = await runProgram('ops/local/start.ts', [], {
    DATABASE_URL: 'foo',
    PORT: await findClosedPort(),
  });
  expect(started.status).toBe(1);
  expect(started.told).toMatch(/^DATABASE_URL is "foo"; it must be like [^\n]*\n$/);
});

test('npm start and the gateway refuse a HOST of another machine', async () => {
  const env = {
    HOST: '192.0.2.1',
    PORT: await findClosedPort(),
    DATABASE_URL: testServers().databaseUrl,
    KAFKA_BROKERS: testServers().brokers.addresses.join(','),
  };
  const away = { DATABASE_URL: addressOf({ port: await findClosedPort() }), KAFKA_BROKERS: '127.0.0.1:1' };
  const started = await runProgram('ops/local/start.ts', [], { ...env, ...away });
  expect(started.status).toBe(1);
  expect(started.told).toMatch(
    /^HOST is "192\.0\.2\.1", which cannot be listened on \(.+\): set HOST to an address [^\n]*\n$/,
  );
  const gateway = await runProgram('gateway/main.ts', [], { ...env, METRICS_PORT: await findClosedPort() });
  expect(gateway.status).toBe(1);
  expect(gateway.told).toMatch(/PORT \d+ cannot be listened on: .*192\.0\.2\.1.*; correct HOST\.\n$/);
});

test('npm start reports in one sentence that Postgres fails during the import of the demo', async () => {
  const way = await TcpProxy.open(await createTestDatabase());
  // Far beyond the packets before the import, and far below its own.
  way.trap(100, () => way.sever());
  const { status, told } = await runProgram('ops/local/start.ts', [], {
    DATABASE_URL: way.url,
    KAFKA_BROKERS: testServers().brokers.addresses.join(','),
    TOPIC_PREFIX: `start-${randomBytes(4).toString('hex')}.`,
    PORT: await findClosedPort(),
  });
  await way.close();
  expect(status).toBe(1);
  expect(told).toMatch(
    /^The database does not answer \(.+[^.]\): run "npm start" again; servers that it starts have their logs in .+\/postgres and .+\/kafka\.\n$/,
  );
});

test.each([
  'lag',
  'topics check',
  'topics plan',
  'stream check',
  'stream repair',
  'stream new-epoch',
  'rejected list',
  'rejected retry',
])('"%s" reports in one sentence that the brokers do not answer', async (line) => {
  const KAFKA_BROKERS = `127.0.0.1:${await findClosedPort()}`;
  const { status, told } = await ops(line, { DATABASE_URL: testServers().databaseUrl, KAFKA_BROKERS });
  expect(status).toBe(1);
  const sentence = `^Kafka at ${KAFKA_BROKERS} does not answer \\(.*\\): start it, or correct KAFKA_BROKERS\\.\n$`;
  expect(told).toMatch(new RegExp(sentence));
});

/** Starts a server that accepts connections and stays silent. @returns its address */
async function startSilentBroker(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).unref();
  return `127.0.0.1:${await listen(server)}`;
}

test('commands name the brokers that accept connections and stay silent', async () => {
  const KAFKA_BROKERS = await startSilentBroker();
  const env = { DATABASE_URL: await createTestDatabase(), KAFKA_BROKERS };
  const lines = [
    'lag',
    'rejected list',
    'rejected retry',
    'submissions skip 0/0 --reason stuck',
    'stream check',
    'topics check',
  ];
  const outcomes = await Promise.all(lines.map(async (line) => [line, await runOps(line, env)]));
  const told = `Kafka at ${KAFKA_BROKERS} gave no answer: check the server and the way to it.\n`;
  expect(outcomes).toEqual(lines.map((line) => [line, { status: 1, told }]));
});

test('a silent broker does not hide the others', async () => {
  const { addresses } = testServers().brokers;
  await requireBrokers(plaintextBrokers([await startSilentBroker(), ...addresses]));
});

test.each(['gateway', 'consumers'])('an unknown LOG_LEVEL ends the %s with one sentence', async (name) => {
  const { status, told } = await runProgram(`${name}/main.ts`, [], { LOG_LEVEL: 'loud' });
  expect(status).toBe(1);
  expect(told).toBe(
    'LOG_LEVEL is "loud"; it must be one of trace, debug, info, warn, error, fatal, silent.\n',
  );
});

test.each(['gateway', 'consumers'])(
  'the %s does not start with an argument that it does not know',
  async (name) => {
    expect(await runProgram(`${name}/main.ts`, ['--help'], {})).toEqual({
      status: 1,
      told:
        'Unknown argument "--help": the program takes none. Environment variables configure it; docs/deployment.md lists ' +
        'them.\n',
    });
  },
);
