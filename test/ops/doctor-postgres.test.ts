/** The doctor's checks of a database, some of whose answers the test replaces. */
import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { checkPostgres } from '../../ops/doctor/check-postgres.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client, url } = useTestDatabase();

type Rows = Record<string, unknown>[] | Error;

/** The findings about a subject, with other rows for the statements that a pattern fits. */
async function judge(subject: string, pattern: RegExp, rows: Rows | (() => Rows)) {
  const replaced = new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
      return async (given: string | { text: string }, ...more: unknown[]) => {
        const text = typeof given === 'string' ? given : given.text;
        if (!pattern.test(text)) return target.query(given as string, ...(more as []));
        const answer = typeof rows === 'function' ? rows() : rows;
        if (answer instanceof Error) throw answer;
        return { rows: answer, rowCount: answer.length };
      };
    },
  }) as pg.Client;
  const findings = await checkPostgres(replaced, url);
  return findings.filter((each) => each.subject === subject).map(({ status, text }) => [status, text]);
}

test.each([
  [79, 'ok', '79 of 100 connections are taken.'],
  [80, 'warning', '80 of 100 connections are taken: raise max_connections, or stop programs that need none.'],
])('%i of 100 connections are judged as %s', async (used, status, text) => {
  expect(await judge('Postgres connections', /max_connections/, [{ used, most: 100 }])).toEqual([
    [status, text],
  ]);
});

const SAFE = {
  ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
  ...{ server_encoding: 'UTF8', default_transaction_read_only: 'off' },
};
const judgeSettings = (changed: Partial<typeof SAFE>) =>
  judge(
    'Postgres settings',
    /pg_settings/,
    Object.entries({ ...SAFE, ...changed }).map(([name, setting]) => ({ name, setting })),
  );

test('settings that lose nothing in a crash are fine', async () => {
  for (const synchronous_commit of ['on', 'local', 'remote_apply']) {
    expect(await judgeSettings({ synchronous_commit })).toEqual([
      ['ok', 'Nothing is lost in a crash; the encoding is UTF8.'],
    ]);
  }
});

test.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
  '%s that is off is a warning',
  async (name) => {
    expect(await judgeSettings({ [name]: 'off' })).toEqual([
      [
        'warning',
        `${name} is off: a crash of the server loses changes that clients have seen. Set it to on.`,
      ],
    ]);
  },
);

test('a database that refuses writes, or cannot hold all names, fails the check, each by itself', async () => {
  const [readOnly, encoding] = [{ default_transaction_read_only: 'on' }, { server_encoding: 'SQL_ASCII' }];
  const found = await judgeSettings({ ...readOnly, ...encoding, fsync: 'off' });
  expect(found.map(([status]) => status)).toEqual(['warning', 'failed', 'failed']);
  expect((await judgeSettings(readOnly))[0]?.[1]).toContain('default_transaction_read_only is on');
  expect((await judgeSettings(encoding))[0]?.[1]).toContain('The encoding of the database is SQL_ASCII');
});

test('a version that is too old, and a stand-by, fail the check', async () => {
  const version = (number: string, standby: boolean) => [{ version: number, standby }];
  expect(await judge('Postgres version', /server_version/, version('16.1', false))).toEqual([
    ['ok', 'Postgres 16.1.'],
  ]);
  expect(await judge('Postgres version', /server_version/, version('15.9', false))).toEqual([
    ['failed', expect.stringMatching(/^Postgres 15\.9 is too old.* Upgrade it\.$/)],
  ]);
  expect(await judge('Postgres', /server_version/, version('16.1', true))).toEqual([
    ['failed', 'This is a stand-by, which refuses writes: name the primary in DATABASE_URL.'],
  ]);
});

const tables = (count: number, rights: { writable: boolean; owned: boolean }) =>
  Array.from({ length: count }, (_, at) => ({ name: `t${at}`, ...rights }));

test('tables that may not be written fail the check, those of another owner are a warning, three are named', async () => {
  const judgeRights = (rows: Rows) => judge('Postgres rights', /has_table_privilege/, rows);
  const own = tables(2, { writable: true, owned: true });
  const foreign = tables(3, { writable: true, owned: false });
  expect((await judgeRights(own))[0]).toEqual(['ok', `The user "${client.user}" owns every table.`]);
  expect((await judgeRights([...own, ...foreign]))[0]).toEqual([
    'warning',
    `The user "${client.user}" does not own t0, t1, t2, so it cannot migrate or add partitions: name the owner.`,
  ]);
  const closed = tables(4, { writable: false, owned: true });
  expect((await judgeRights([...foreign, ...closed]))[0]).toEqual([
    'failed',
    expect.stringContaining('may not read and write t0, t1, t2 and 1 more tables: grant it'),
  ]);
});

test.each([
  [-10_000, 'warning', /^The clock of this machine is 1\d\.\d s ahead of that of the database: repair/],
  [10_000, 'warning', /^The clock of this machine is \d+\.\d s behind that of the database: repair/],
  [0, 'ok', /^The clock of this machine is \d\.\d s (ahead of|behind) that of the database\.$/],
])('a database whose clock differs by %i milliseconds is judged as %s', async (ms, status, text) => {
  const answer = () => [{ time: String(Date.now() + ms) }];
  expect(await judge('clock', /clock_timestamp\(\)\) \* 1000/, answer)).toEqual([
    [status, expect.stringMatching(text)],
  ]);
});

test('a check that fails does not keep the others from their answers', async () => {
  const broken = new Error('a defect');
  expect(await judge('Postgres settings', /pg_settings/, broken)).toEqual([
    ['failed', 'The check itself fails: a defect'],
  ]);
  expect((await judge('clock', /pg_settings/, broken)).map(([status]) => status)).toEqual(['ok']);
  expect((await judge('migrations', /pg_settings/, broken)).map(([status]) => status)).toEqual(['ok']);
});
