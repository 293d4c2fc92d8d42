import { beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { createIo, createRunner, type RunCommand } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const accounts = createRunner('accounts');
const audit = createRunner('audit');
const keys = createRunner('keys');
const plans = createRunner('plans');
const usage = createRunner('usage');

const database = useTestDatabase();
const { client } = database;

beforeEach(async () => {
  await client.query('TRUNCATE audit_log, accounts RESTART IDENTITY CASCADE');
});

async function ops(command: RunCommand, line: string): Promise<string[]> {
  const io = createIo({ DATABASE_URL: database.url });
  expect(await command(line.split(' ').filter(Boolean), io)).toBe(0);
  return io.printed;
}
const refuse = (command: RunCommand, line: string) => expect(ops(command, line)).rejects;
const cells = (lines: string[]) => lines.slice(1).map((line) => line.split('\t'));

describe('accounts', () => {
  test('are suspended and resumed by name', async () => {
    await ops(keys, 'create --account acme --plan free');
    await ops(accounts, 'suspend acme');
    const [suspended] = cells(await ops(accounts, 'list'));
    expect(suspended).toEqual(['acme', 'free', '0', expect.any(String), expect.stringMatching(/^2/), '0']);
    await ops(accounts, 'resume acme');
    const [resumed] = cells(await ops(accounts, 'list'));
    expect(resumed).toEqual(['acme', 'free', '1', expect.any(String), '-', '0']);
  });

  test('move to another existing plan', async () => {
    await ops(keys, 'create --account acme --plan free');
    await ops(accounts, 'set-plan acme --plan partner');
    expect(cells(await ops(accounts, 'list'))[0]?.slice(0, 2)).toEqual(['acme', 'partner']);
    await refuse(accounts, 'set-plan acme --plan gold').toThrow(
      'There is no plan "gold"; there are: free, internal, partner, standard.',
    );
  });

  describe('may publish for endorsers', () => {
    beforeEach(async () => {
      await loadCatalogue(database.url, SMALL_BALLOT);
      await ops(keys, 'create --account acme --plan free');
    });
    const audited = async () => {
      const { rows } = await client.query(
        "SELECT action, details -> 'endorsers' AS endorsers FROM audit_log WHERE action LIKE '%endorsers%' ORDER BY id",
      );
      return rows;
    };
    const allowed = async () => (await ops(accounts, 'show acme')).slice(3).filter(Boolean);

    test('that are allowed, until they are disallowed', async () => {
      await ops(accounts, 'allow acme nation-herald coast-gazette');
      expect(await allowed()).toEqual([
        'PUBLISHES FOR\tNAME',
        'coast-gazette\tCoast Gazette',
        'nation-herald\tNation Herald',
      ]);
      expect(cells(await ops(accounts, 'list'))[0]?.at(-1)).toBe('2');
      await ops(accounts, 'disallow acme coast-gazette');
      expect(await allowed()).toEqual(['PUBLISHES FOR\tNAME', 'nation-herald\tNation Herald']);
      expect(await audited()).toEqual([
        { action: 'account.endorsers_allowed', endorsers: ['coast-gazette', 'nation-herald'] },
        { action: 'account.endorsers_disallowed', endorsers: ['coast-gazette'] },
      ]);
    });

    test('and allowing them again changes and audits nothing', async () => {
      await ops(accounts, 'allow acme coast-gazette');
      await ops(accounts, 'allow acme coast-gazette');
      await ops(accounts, 'disallow acme nation-herald');
      expect(await audited()).toHaveLength(1);
    });

    test('that exist: another one is refused with similar slugs, and nothing changes', async () => {
      await refuse(accounts, 'allow acme nation-herald coast-gazete zzz').toThrow(
        'There is no endorser "coast-gazete". Did you mean coast-gazette? There is no endorser "zzz". Nothing was changed.',
      );
      expect(await allowed()).toEqual([]);
    });
  });

  test.each([
    'suspend nobody',
    'resume nobody',
    'set-plan nobody --plan free',
    'show nobody',
    'allow nobody a',
  ])('"%s" is refused for an unknown name', (line) =>
    refuse(accounts, line).toThrow('There is no account "nobody"'),
  );

  test.each([
    ['list all', 'Too many arguments'],
    ['suspend', "Missing required argument 'name'"],
    ['suspend a b', 'Too many arguments'],
    ['suspend a --plan free', "Unknown option '--plan'"],
    ['set-plan a', '--plan is required'],
    ['allow a', "Missing required argument 'endorsers'"],
    ['remove a', "Unknown command 'remove'"],
    ['--x', "Unknown option '--x'"],
  ])('"%s" is refused', (line, message) => refuse(accounts, line).toThrow(message));
});

describe('a name of an account', () => {
  const create = (account: string) =>
    keys(['create', '--account', account, '--plan', 'free'], createIo({ DATABASE_URL: database.url }));

  test('has one form: trimmed, composed, and without characters that break a table or show nothing', async () => {
    for (const name of [' Cafe\u0301\u00a0 A ', 'Café\tA', 'Café\nA', 'Café \u001bA', 'Café\u2028A\u200b']) {
      expect(await create(name)).toBe(0);
    }
    expect(cells(await ops(accounts, 'list')).map(([name]) => name)).toContain('Café A');
    expect(await ops(accounts, 'list')).toHaveLength(2);
  });

  test('may have spaces, marks and any script, and at most 100 characters', async () => {
    for (const name of ['Ñandú & Söhne, 候選人', 'x'.repeat(100)]) expect(await create(name)).toBe(0);
    await expect(create('x'.repeat(101))).rejects.toThrow('--account must have at most 100 characters.');
    await expect(create(' ')).rejects.toThrow('--account must not be empty.');
  });

  test('with a tab that is in the store already is written out, so that every table keeps its columns', async () => {
    await client.query("INSERT INTO accounts (name, plan) VALUES (E'a\\tb', 'free')");
    expect(await create('c')).toBe(0);
    await client.query("UPDATE api_keys SET account_id = (SELECT id FROM accounts WHERE name = E'a\\tb')");
    expect(cells(await ops(accounts, 'list')).map(([name, plan]) => [name, plan])).toEqual([
      ['a\\tb', 'free'],
      ['c', 'free'],
    ]);
    expect(cells(await ops(keys, 'list'))[0]?.slice(1, 3)).toEqual(['a\\tb', 'free']);
  });
});

describe('plans', () => {
  test('are listed, and changed limit by limit', async () => {
    expect(cells(await ops(plans, 'list'))).toEqual([
      ['free', '60', '5000', '1', '1'],
      ['internal', 'unlimited', 'unlimited', 'unlimited', '10'],
      ['partner', '6000', 'unlimited', '50', '10'],
      ['standard', '600', 'unlimited', '5', '5'],
    ]);
    const lift = '--requests-per-day 90000 --max-streams unlimited --max-webhooks 7';
    expect(cells(await ops(plans, `set standard ${lift}`))).toEqual([
      ['standard', '600', '90000', 'unlimited', '7'],
    ]);
    await ops(plans, 'set standard --requests-per-day unlimited --max-streams 5 --max-webhooks 5');
  });

  test.each([
    ['set gold --max-streams 5', 'There is no plan "gold"; there are: free, internal, partner, standard.'],
    ['set free --max-streams 0', '--max-streams is "0"; it must be a whole number from 1'],
    ['set free --max-webhooks 11', '--max-webhooks is "11"; it must be a whole number from 1 to 10'],
    ['set free --requests-per-day 3000000000', 'from 1 to 2147483647, or "unlimited".'],
    ['set free', 'No limit is given'],
    ['list --max-streams 5', "Unknown option '--max-streams'"],
  ])('"%s" is refused', (line, message) => refuse(plans, line).toThrow(message));
});

describe('the audit log', () => {
  test('has every change of accounts, keys and plans once, with its actor', async () => {
    await ops(keys, 'create --account acme --plan free --scopes data:read');
    await ops(accounts, 'suspend acme');
    await ops(accounts, 'suspend acme');
    await ops(accounts, 'resume acme');
    await ops(accounts, 'set-plan acme --plan standard');
    await ops(keys, 'revoke 1');
    await ops(keys, 'revoke 1');
    await ops(plans, 'set free --max-streams 2');
    const entries = cells(await ops(audit, 'list'));
    expect(entries.map(([, , , action, subject, details]) => [action, subject, details])).toEqual([
      ['account.created', 'account acme', '{"plan":"free"}'],
      ['key.created', 'key 1', expect.stringContaining('"scopes":["data:read"]')],
      ['account.suspended', 'account acme', '-'],
      ['account.resumed', 'account acme', '-'],
      ['account.plan_changed', 'account acme', '{"to":"standard","from":"free"}'],
      ['key.revoked', 'key 1', '{"account":"acme"}'],
      ['plan.changed', 'plan free', '{"maxStreams":2}'],
    ]);
    const { rows } = await client.query('SELECT session_user AS name');
    for (const [time, osUser, databaseUser] of entries) {
      expect(time).toMatch(/^2.*Z$/);
      expect(osUser).toMatch(/./);
      expect(databaseUser).toBe(rows[0].name);
    }
  });

  test('does not have changes that failed', async () => {
    await refuse(keys, 'create --account acme --plan gold').toThrow('There is no plan "gold"');
    expect(await ops(audit, 'list')).toHaveLength(1);
  });

  test('holds no key', async () => {
    const [key] = await ops(keys, 'create --account acme --plan free');
    expect(key).toMatch(/^bes_/);
    const { rows } = await client.query('SELECT audit_log::text AS entry FROM audit_log');
    expect(rows.map(({ entry }) => entry).join()).not.toContain('bes_');
  });

  test('lists the newest changes', async () => {
    for (const name of ['a', 'b', 'c']) await ops(keys, `create --account ${name} --plan free`);
    const listed = cells(await ops(audit, 'list --limit 2'));
    expect(listed.map(([, , , , subject]) => subject)).toEqual(['account c', 'key 3']);
    await refuse(audit, 'list --limit 0').toThrow(
      '--limit is "0"; it must be a whole number from 1 to 100000.',
    );
  });
});

describe('usage', () => {
  beforeEach(async () => {
    await client.query('TRUNCATE usage_hours, webhook_usage_days');
    for (const name of ['acme', 'beta', 'quiet']) await ops(keys, `create --account ${name} --plan free`);
    await client.query(
      `INSERT INTO usage_hours (account_id, hour, route, status, requests)
       SELECT a.id, date_trunc('day', now(), 'UTC') - days * interval '24 hours', route, status, requests
       FROM accounts a JOIN (VALUES
         ('acme', 0, '/v1/states', 200, 7), ('acme', 0, '/v1/contests', 429, 1),
         ('beta', 0, '/v1/states', 429, 2), ('beta', 8, '/v1/states', 200, 90)
       ) AS u (name, days, route, status, requests) USING (name)`,
    );
    await client.query(
      `INSERT INTO webhook_usage_days
       SELECT id, (now() AT TIME ZONE 'UTC')::date - days, 3, 2, events
       FROM accounts JOIN (VALUES ('acme', 0, 50), ('acme', 1, 7), ('quiet', 0, 4), ('quiet', 8, 9)) AS u (name, days, events)
         USING (name)`,
    );
  });

  test('of all accounts is listed with the highest first, by the chosen answers and days', async () => {
    const [acme, beta, quiet] = [
      ['acme', 'free', '8', '0', '1', '0', '57'],
      ['beta', 'free', '2', '0', '2', '0', '0'],
      // It has only deliveries to webhooks.
      ['quiet', 'free', '0', '0', '0', '0', '4'],
    ];
    expect(cells(await ops(usage, ''))).toEqual([acme, beta, quiet]);
    expect(cells(await ops(usage, '--by limited'))).toEqual([beta, acme, quiet]);
    expect(cells(await ops(usage, '--days 1'))[0]?.at(-1)).toBe('50');
    expect(cells(await ops(usage, '--days 9'))[0]?.slice(0, 3)).toEqual(['beta', 'free', '92']);
  });

  test('of more accounts than are listed says so', async () => {
    await client.query(
      `WITH many AS (INSERT INTO accounts (name, plan) SELECT 'many ' || n, 'free' FROM generate_series(1, 998) AS n RETURNING id)
       INSERT INTO usage_hours (account_id, hour, route, status, requests)
       SELECT id, date_trunc('day', now(), 'UTC'), '/v1/states', 200, 1 FROM many`,
    );
    const list = async () => {
      const io = createIo({ DATABASE_URL: database.url });
      await usage([], io);
      return [io.printed.length - 1, io.told];
    };
    expect(await list()).toEqual([1000, ['More accounts have usage: these are the first 1,000.']]);
    await client.query(
      `DELETE FROM usage_hours WHERE account_id = (SELECT id FROM accounts WHERE name = 'many 1')`,
    );
    expect(await list()).toEqual([1000, []]);
  });

  test('of an account is listed by day and by endpoint', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const lines = cells(await ops(usage, 'acme --days 2'));
    expect(lines.slice(1)).toEqual([
      [today, '8', '0', '1', '0', '50', '2'],
      [''],
      ['ENDPOINT', 'REQUESTS', 'FAULTY', 'OVER THE LIMIT', 'FAILED'],
      ['/v1/states', '7', '0', '0', '0'],
      ['/v1/contests', '1', '0', '1', '0'],
    ]);
    await refuse(usage, 'acm').toThrow('There is no account "acm"; "accounts list" shows every account.');
    await refuse(usage, '--days 31').toThrow('--days is "31"; it must be a whole number from 1 to 30.');
  });
});
