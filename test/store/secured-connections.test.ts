import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { migrateDatabase } from '../../ops/commands/migrate.ts';
import { requireDatabase } from '../../ops/database.ts';
import { readDatabaseUrl } from '../../service/database-address.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { createClient } from '../../store/connection/client.ts';
import { createReadPool, type DatabasePool, noRow, sql } from '../../store/connection/read-pool.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { startHeartbeat } from '../../store/processes/heartbeat.ts';
import { CERTIFICATE_USER, SecurePostgres } from '../helpers/postgres/secure-postgres.ts';
import { encryptKey, TestAuthority } from '../helpers/servers/certificates.ts';
import { messageOf, securedTest as test } from '../helpers/servers/secured-test.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { until } from '../helpers/until.ts';

let postgres: SecurePostgres;
/** An authority that is not trusted yet. */
let foreign: TestAuthority;

beforeAll(async () => {
  postgres = await SecurePostgres.start();
  foreign = await TestAuthority.create(postgres.dir, 'foreign');
});
afterAll(() => postgres.stop());

type Settings = Record<string, string>;

/** The owner's address, with these settings. */
function addressOf(settings: Settings, url = postgres.url): string {
  const address = readDatabaseUrl({ DATABASE_URL: url, ...settings });
  if (address === null) throw new Error('There is no address.');
  return address;
}

const trusting = (): Settings => ({ DATABASE_CA_FILE: postgres.authority.ca });
const LIMITS = { maxConnections: 2, connectionTimeoutMs: 3000, statementTimeoutMs: 3000 };
const hasTls = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

/** Asks, with pg and with slonik, whether the connection has TLS. */
async function askBoth(databaseUrl: string): Promise<[boolean, number]> {
  const client = createClient(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query(hasTls);
  await client.end();
  const pool = await createReadPool({ databaseUrl, ...LIMITS });
  const statement = sql.type(noRow)`SELECT FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()`;
  const { rowCount } = await pool.query(statement);
  await pool.end();
  return [rows[0].ssl, rowCount];
}

/** The causes that a long-running process logs, for pg and for slonik. */
async function loggedOf(databaseUrl: string): Promise<string[]> {
  const { log, lines } = captureLog('warn');
  const note = (error: unknown) => reportFailure(log, error, { where: 'answer', message: 'x' });
  const work = createWorkPool(databaseUrl, 1, () => {});
  await work.query('SELECT').catch(note);
  await work.end();
  await createReadPool({ databaseUrl, ...LIMITS })
    .then((pool) => pool.query(sql.type(noRow)`SELECT`).finally(() => pool.end()))
    .catch(note);
  return lines.map(({ msg }) => String(msg));
}

describe('pg and slonik connect', () => {
  test('without TLS, if no setting asks for it', async () => {
    expect(await askBoth(addressOf({}))).toEqual([false, 0]);
  });

  test.each<[string, () => string]>([
    ['DATABASE_CA_FILE', () => addressOf(trusting())],
    [
      'sslrootcert',
      () => addressOf({}, `${postgres.url}?sslmode=verify-full&sslrootcert=${postgres.authority.ca}`),
    ],
    ['sslmode=require', () => addressOf(trusting(), `${postgres.url}?sslmode=require`)],
    ['sslmode=no-verify, and any certificate', () => addressOf({}, `${postgres.url}?sslmode=no-verify`)],
    [
      'sslmode=verify-ca, and any name',
      () => addressOf(trusting(), `${postgres.url.replace('localhost', '127.0.0.1')}?sslmode=verify-ca`),
    ],
  ])('with %s', async (_, address) => {
    expect(await askBoth(address())).toEqual([true, 1]);
  });

  test('with a certificate for an address, and no name', async () => {
    const address = addressOf(trusting(), postgres.url.replace('localhost', '127.0.0.1'));
    const isAccepted = () =>
      requireDatabase(address).then(
        () => true,
        () => false,
      );
    expect(await isAccepted()).toBe(false);
    await postgres.show(await postgres.authority.issue({ name: 'by-address', hosts: ['IP:127.0.0.1'] }));
    await until('the server shows it', isAccepted);
    expect(await askBoth(address)).toEqual([true, 1]);
    await postgres.show(await postgres.authority.issue({ name: 'server', subject: 'localhost' }));
    await until('the server shows the other', async () => !(await isAccepted()));
  });

  test('with texts instead of files', async () => {
    const settings = {
      DATABASE_CA: await readFile(postgres.authority.ca, 'utf8'),
      DATABASE_PASSWORD: decodeURIComponent(new URL(postgres.url).password),
    };
    const address = addressOf(settings, Object.assign(new URL(postgres.url), { password: '' }).href);
    expect(await askBoth(address)).toEqual([true, 1]);
  });

  test('with a client certificate instead of a password', async () => {
    const { cert, key } = await postgres.authority.issue({ name: CERTIFICATE_USER });
    const url = Object.assign(new URL(postgres.url), { username: CERTIFICATE_USER, password: '' }).href;
    const settings = { ...trusting(), DATABASE_CERT_FILE: cert, DATABASE_KEY_FILE: key };
    expect(await askBoth(addressOf(settings, url))).toEqual([true, 1]);
    const encrypted = {
      ...settings,
      DATABASE_KEY_FILE: await encryptKey(key, 'a: password'),
      DATABASE_KEY_PASSWORD: 'a: password',
    };
    expect(await askBoth(addressOf(encrypted, url))).toEqual([true, 1]);
  });
});

describe('a refusal is one sentence, in commands and in the log', () => {
  const certificate = () => `The certificate of ${place()}`;
  const place = () => `Postgres at ${new URL(postgres.url).host}`;

  test.each<[string, () => string, () => string]>([
    [
      'an authority that is not trusted',
      () => addressOf({ DATABASE_CA_FILE: foreign.ca }),
      () =>
        `${certificate()} is signed by an authority that is not trusted: name its CA in DATABASE_CA_FILE.`,
    ],
    [
      'no authority at all',
      () => addressOf({}, `${postgres.url}?sslmode=verify-full`),
      () =>
        `${certificate()} is signed by an authority that is not trusted: name its CA in DATABASE_CA_FILE.`,
    ],
  ])('%s', async (_, address, sentence) => {
    expect(await messageOf(requireDatabase(address()))).toBe(sentence());
    const logged = sentence()
      .replace(/Postgres at \S+/, 'Postgres')
      .replace(/\.$/, '');
    expect(await loggedOf(address())).toEqual([`x (${logged})`, `x (${logged})`]);
  });

  test('a certificate for another name', async () => {
    await postgres.show(await postgres.authority.issue({ name: 'other', hosts: ['DNS:db.example'] }));
    const sentence = `${certificate()} is for DNS:db.example: correct the host.`;
    await until('the server shows it', async () => {
      return (await messageOf(requireDatabase(addressOf(trusting())))) === sentence;
    });
  });

  test('an expired certificate', async () => {
    await postgres.show(await postgres.authority.issue({ name: 'expired', subject: 'localhost', days: -1 }));
    const sentence = `${certificate()} has expired: renew it on the server.`;
    await until(
      'the server shows it',
      async () => (await messageOf(requireDatabase(addressOf(trusting())))) === sentence,
    );
    await postgres.show(await postgres.authority.issue({ name: 'server', subject: 'localhost' }));
    await until(
      'the server shows another',
      async () => (await messageOf(requireDatabase(addressOf(trusting())))) === 'It did not fail.',
    );
  });

  test('a wrong password, and a missing right', async () => {
    const wrong = Object.assign(new URL(postgres.url), { password: 'wrong' }).href;
    const refusal =
      'x (Postgres refuses the user or the password (password authentication failed for user "ballot"): correct DATABASE_URL or DATABASE_PASSWORD_FILE)';
    expect(await loggedOf(addressOf(trusting(), wrong))).toEqual([refusal, refusal]);
    const { log, lines } = captureLog('warn');
    reportFailure(log, Object.assign(new Error('permission denied for table plans'), { code: '42501' }), {
      where: 'answer',
      message: 'x',
    });
    expect(lines[0]?.msg).toBe(
      'x (Postgres does not let the user do that (permission denied for table plans): name the owner of the tables in DATABASE_URL)',
    );
  });
});

describe('long-running processes continue when files are replaced', () => {
  test('a password', async () => {
    const file = path.join(postgres.dir, 'password-of-owner');
    const password = decodeURIComponent(new URL(postgres.url).password);
    await writeFile(file, 'wrong\n');
    const address = addressOf({ ...trusting(), DATABASE_PASSWORD_FILE: file });
    const { log, lines } = captureLog('warn');
    await migrateDatabase(postgres.url);
    const heartbeat = startHeartbeat({
      databaseUrl: address,
      describe: async () => ({
        program: 'consumers',
        obstacle: null,
        details: { roles: [], leads: [] },
      }),
      log,
      beatMs: 50,
    });
    const work = createWorkPool(address, 1, () => {});
    let pool: DatabasePool | undefined;
    try {
      await until('the refusal is logged', async () => lines.length > 0);
      await expect(work.query('SELECT')).rejects.toThrow('password authentication failed');
      await writeFile(file, `${password}\n`);
      await work.query('SELECT');
      pool = await createReadPool({ databaseUrl: address, ...LIMITS });
      const changed = 'another password';
      await postgres.query(`ALTER ROLE ballot PASSWORD '${changed}'`);
      await writeFile(file, changed);
      // Each pool makes a second connection, with the new password.
      await Promise.all([pool, pool].map((each) => each.query(sql.type(noRow)`SELECT pg_sleep(0.1)`)));
    } finally {
      await Promise.all([pool?.end(), work.end(), heartbeat.stop()]);
    }
  });
});
