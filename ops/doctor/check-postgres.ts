import type pg from 'pg';
import { type Finding, failed, ok, warning } from '../../administration/health/finding.ts';
import { judgeProcesses } from '../../administration/health/judge-processes.ts';
import { describeDatabaseClient } from '../../store/connection/connection-config.ts';
import { refuseOldServer } from '../../store/connection/server-version.ts';
import { findPendingMigrations, SchemaMismatchError } from '../../store/migrations/migrate.ts';
import { listProcesses } from '../../store/processes/process-list.ts';
import { readDatabaseTime } from '../../store/stream/database-time.ts';
import { count } from '../table.ts';
import { judgeClientCertificate, judgeExpiry, readExpiry } from './certificates.ts';
import { examine, inTime, NoAnswerError } from './examine.ts';

/** A larger clock difference is reported, in milliseconds. */
const TOLERATED_SKEW_MS = 2000;
/** Connections are reported if at least this share of them is taken. */
const CROWDED = 0.8;

type Check = (client: pg.Client, databaseUrl: string) => Promise<Finding[]>;

/** The checks of a database that answers, in order. */
const CHECKS: [subject: string, check: Check][] = [
  ['Postgres version', checkVersion],
  ['Postgres TLS', checkTls],
  ['Postgres settings', checkSettings],
  ['Postgres connections', checkConnections],
  ['migrations', checkMigrations],
  ['Postgres rights', checkRights],
  ['clock', checkClock],
  ['processes', async (client) => judgeProcesses(await listProcesses(client))],
];

/** Checks a database that answers. A check without an answer ends the checks. */
export async function checkPostgres(client: pg.Client, databaseUrl: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  // A lock or a slow statement must not delay the other checks.
  await inTime(client.query("SET statement_timeout = '5s'; SET lock_timeout = '2s'"), 'Postgres');
  for (const [subject, check] of CHECKS) {
    let isSilent = false;
    const found = await examine(subject, () =>
      inTime(check(client, databaseUrl), 'Postgres').catch((error) => {
        isSilent = error instanceof NoAnswerError;
        throw error;
      }),
    );
    findings.push(...found);
    if (isSilent) break;
  }
  return findings;
}

async function checkVersion(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ version: string; standby: boolean }>(
    "SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby",
  );
  const { version = '', standby = false } = rows[0] ?? {};
  const tooOld = refuseOldServer(version);
  const findings = [
    tooOld === null
      ? ok('Postgres version', `Postgres ${version}.`)
      : failed('Postgres version', `${tooOld} Upgrade it.`),
  ];
  if (standby) {
    findings.push(
      failed('Postgres', 'This is a stand-by, which refuses writes: name the primary in DATABASE_URL.'),
    );
  }
  return findings;
}

/** The ends of both sides' certificates. */
async function checkTls(client: pg.Client, databaseUrl: string): Promise<Finding[]> {
  const { stream } = (client as unknown as { connection: { stream: unknown } }).connection;
  const serverEnd = readExpiry(stream);
  const ofServer =
    serverEnd === null
      ? ok('Postgres TLS', 'The connection has no TLS, as DATABASE_URL says.')
      : judgeExpiry('Postgres TLS', 'The certificate of Postgres', serverEnd);
  return [ofServer, ...judgeClientCertificate('Postgres TLS', describeDatabaseClient(databaseUrl))];
}

/** Checks for settings that lose acknowledged changes in a crash, and for an encoding that cannot hold all names. */
async function checkSettings(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding', 'default_transaction_read_only')`,
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const subject = 'Postgres settings';
  const findings: Finding[] = [];
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    if (settings.get(name) === 'off') {
      const text = `${name} is off: a crash of the server loses changes that clients have seen. Set it to on.`;
      findings.push(warning(subject, text));
    }
  }
  if (settings.get('default_transaction_read_only') === 'on') {
    findings.push(
      failed(subject, 'default_transaction_read_only is on, so that every write is refused: set it to off.'),
    );
  }
  if (settings.get('server_encoding') !== 'UTF8') {
    const encoding = settings.get('server_encoding');
    findings.push(
      failed(subject, `The encoding of the database is ${encoding}: create it again with ENCODING 'UTF8'.`),
    );
  }
  return findings.length > 0 ? findings : [ok(subject, 'Nothing is lost in a crash; the encoding is UTF8.')];
}

async function checkConnections(client: pg.Client): Promise<Finding[]> {
  // Postgres hides the type of other users' connections from most users, but not their database and user.
  const { rows } = await client.query<{ used: number; most: number }>(
    `SELECT count(*)::int AS used, current_setting('max_connections')::int AS most
     FROM pg_stat_activity
     WHERE coalesce(backend_type = 'client backend', datid IS NOT NULL AND usesysid IS NOT NULL)`,
  );
  const { used = 0, most = 0 } = rows[0] ?? {};
  const subject = 'Postgres connections';
  const text = `${count(used)} of ${count(most)} connections are taken`;
  if (used < most * CROWDED) return [ok(subject, `${text}.`)];
  return [warning(subject, `${text}: raise max_connections, or stop programs that need none.`)];
}

async function checkMigrations(client: pg.Client): Promise<Finding[]> {
  const subject = 'migrations';
  try {
    const pending = await findPendingMigrations(client);
    if (pending.length === 0) return [ok(subject, 'The schema is up to date.')];
    return [failed(subject, `The schema lacks ${pending.join(', ')}: run "npm run ops -- migrate".`)];
  } catch (error) {
    if (error instanceof SchemaMismatchError) return [failed(subject, error.message)];
    throw error;
  }
}

/** The rights on the tables: of gateways and consumers, and for migrations and new partitions of the log. */
async function checkRights(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; writable: boolean; owned: boolean }>(
    `SELECT relname AS name, pg_has_role(relowner, 'USAGE') AS owned,
       has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
         AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') AS writable
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
  );
  const subject = 'Postgres rights';
  const name = (found: typeof rows) => {
    const names = found.slice(0, 3).map((row) => row.name);
    return `${names.join(', ')}${found.length > 3 ? ` and ${found.length - 3} more tables` : ''}`;
  };
  const closed = rows.filter(({ writable }) => !writable);
  if (closed.length > 0) {
    const text = `The user "${client.user}" may not read and write ${name(closed)}: grant it, or name their owner in DATABASE_URL.`;
    return [failed(subject, text)];
  }
  const foreign = rows.filter(({ owned }) => !owned);
  if (foreign.length > 0) {
    const text = `The user "${client.user}" does not own ${name(foreign)}, so it cannot migrate or add partitions: name the owner.`;
    return [warning(subject, text)];
  }
  return [ok(subject, `The user "${client.user}" owns every table.`)];
}

async function checkClock(client: pg.Client): Promise<Finding[]> {
  const before = Date.now();
  const theirs = await readDatabaseTime(client);
  // The database answered at some moment between the two readings.
  const skewMs = (before + Date.now()) / 2 - theirs;
  const skew = `${(Math.abs(skewMs) / 1000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'}`;
  const text = `The clock of this machine is ${skew} that of the database`;
  if (Math.abs(skewMs) <= TOLERATED_SKEW_MS) return [ok('clock', `${text}.`)];
  return [warning('clock', `${text}: repair the time service of the machine that is wrong.`)];
}
