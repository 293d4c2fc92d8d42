import { beforeEach, describe, expect, test } from '@jest/globals';
import { createKey, isKnownKey } from '../../ops/commands/keys.ts';
import { SCOPES } from '../../schemas/vocabulary.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const keys = createRunner('keys');
const NOW = new Date('2026-11-22T12:00:00Z');

const database = useTestDatabase();
const { client } = database;

beforeEach(async () => {
  await client.query('TRUNCATE audit_log, accounts RESTART IDENTITY CASCADE');
});

const newIo = () => createIo({ DATABASE_URL: database.url }, { now: NOW });
const create = (expires: string) =>
  keys(['create', '--account', 'acme', '--plan', 'free', '--expires', expires], newIo());

describe('keys create --expires', () => {
  test.each([
    ['2026-11-23', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z', '2028-02-29T00:00Z'],
    ['2026-11-22T12:00:01Z', '2026-11-22T12:00:01.000Z', '2026-11-22T12:00Z'],
    ['2027-01-31T17:00Z', '2027-01-31T17:00:00.000Z', '2027-01-31T17:00Z'],
    ['2027-01-31T17:00:00-05:00', '2027-01-31T22:00:00.000Z', '2027-01-31T22:00Z'],
    ['2026-11-22T13:00:00.250+00:30', '2026-11-22T12:30:00.250Z', '2026-11-22T12:30Z'],
  ])('takes %s for %s', async (given, time, listed) => {
    await create(given);
    const { rows } = await client.query('SELECT expires_at FROM api_keys');
    expect(rows[0].expires_at.toISOString()).toBe(time);
    const io = newIo();
    await keys(['list'], io);
    expect(io.printed[1]?.split('\t')[5]).toBe(listed);
  });

  test.each(['2026-11-22', '2026-11-22T12:00:00Z', '2026-11-22T13:00:00+01:00', '2020-01-01T00:00:00Z'])(
    'refuses the past time %s',
    async (given) => {
      await expect(create(given)).rejects.toThrow(
        `--expires is ${given}, which is not in the future; a date is its first moment in UTC.`,
      );
      expect((await client.query('SELECT FROM api_keys')).rowCount).toBe(0);
    },
  );

  test.each([
    ...['tomorrow', '31/01/2027', '2027-02-29', '2027-1-31', '', '1800000000'],
    ...['2027-01-31T17:00:00', '2027-01-31 17:00:00Z', '2027-02-29T17:00:00Z', '2027-01-31T25:00:00Z'],
    ...['2027-01-31T17Z', '2027-01-31T17:00:00+0500', '2027-01-31T17:00:00+99:00', '+12027-01-31T17:00Z'],
  ])('refuses the invalid time %j', async (given) => {
    await expect(create(given)).rejects.toThrow(
      `--expires is "${given}"; it must be a date such as 2027-01-31, or a time with its offset from UTC such as ` +
        '2027-01-31T17:00:00Z.',
    );
  });
});

describe('keys create --name', () => {
  test('names the key, with the text in its one form', async () => {
    expect(
      await keys(
        ['create', '--account', 'named', '--plan', 'free', '--name', ' Website,  production '],
        newIo(),
      ),
    ).toBe(0);
    const io = newIo();
    await keys(['list'], io);
    expect(io.printed.find((line) => line.includes('\tnamed\t'))).toMatch(/\tWebsite, production$/);
  });

  test.each(['', ' ', 'x'.repeat(101)])('refuses "%s"', async (name) => {
    const made = keys(['create', '--account', 'named', '--plan', 'free', '--name', name], newIo());
    await expect(made).rejects.toThrow('--name must have 1 to 100 characters.');
  });
});

describe('keys create', () => {
  const run = async (...args: string[]) => {
    const io = newIo();
    await keys(args, io);
    return io;
  };
  const createWith = (...more: string[]) => run('create', '--account', 'acme', '--plan', 'free', ...more);
  const scopesNow = async () =>
    (await client.query('SELECT scopes FROM api_keys ORDER BY id')).rows.map(({ scopes }) => scopes);

  test('prints the key alone, which works until it is revoked, and only in its own database', async () => {
    const { printed, told } = await createWith();
    expect(printed).toEqual([expect.stringMatching(/^bes_\w+$/)]);
    expect(told).toEqual(['A key of account "acme", shown this once:']);
    const [key = ''] = printed;
    const known = (text: string) => isKnownKey(database.url, text);
    expect([await known(key), await known(`${key}x`), await known('')]).toEqual([true, false, false]);
    expect((await run('revoke', '1')).told[0]).toMatch(/^Key 1 is revoked: within five seconds/);
    expect(await known(key)).toBe(false);
    await expect(run('revoke', '2')).rejects.toThrow('There is no key 2; "keys list" shows every id.');
    for (const wrong of ['0', '01', '1.5', 'acme', '1234567890']) {
      await expect(run('revoke', wrong)).rejects.toThrow(`"${wrong}" is not an id: "keys list" shows them.`);
    }
  });

  test('gives every scope by default, and the chosen ones once, in their usual order', async () => {
    await createWith();
    await createWith('--scopes', 'stream:read, data:read,stream:read');
    expect(await scopesNow()).toEqual([SCOPES, SCOPES.filter((scope) => /^(data|stream):read$/.test(scope))]);
    for (const wrong of ['', 'data:read,', 'data:read,king']) {
      await expect(createWith('--scopes', wrong)).rejects.toThrow(
        /^There is no scope "(king|)"; there are: /,
      );
    }
    expect(await scopesNow()).toHaveLength(2);
  });

  test('needs an account and a plan', async () => {
    for (const args of [
      ['--account', 'acme'],
      ['--plan', 'free'],
    ]) {
      await expect(run('create', ...args)).rejects.toThrow('--account and --plan are required');
    }
  });

  test('refuses another plan than that of the account, and more than 100 keys that can be used', async () => {
    await createWith();
    await expect(run('create', '--account', 'acme', '--plan', 'partner')).rejects.toMatchObject({
      ...{ name: 'PlanMismatchError', message: expect.stringContaining('"free"') },
    });
    await client.query(
      `INSERT INTO api_keys (account_id, hash, scopes) SELECT 1, sha256(n::text::bytea), '{data:read}' FROM generate_series(2, 100) n`,
    );
    const create = () => createKey({ databaseUrl: database.url, account: 'acme', plan: 'free' });
    await expect(create()).rejects.toMatchObject({
      ...{ name: 'TooManyKeysError', message: expect.stringContaining('100') },
    });
    await run('revoke', '50');
    expect(await create()).toMatch(/^bes_/);
  });
});
