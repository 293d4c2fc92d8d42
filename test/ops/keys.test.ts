import { beforeEach, describe, expect, test } from '@jest/globals';
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
