import { describe, expect, test } from '@jest/globals';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { createIo } from '../helpers/commands/command-io.ts';
import { NOW, run, useOfficeholderCommand } from '../helpers/officeholders/officeholder-command.ts';
import { createCheckout, person, personId, role } from '../helpers/officeholders/people-checkout.ts';
import { isWaiting } from '../helpers/postgres/overlap.ts';
import { until } from '../helpers/until.ts';

const { client, importFiles, stored } = useOfficeholderCommand();

const LATER = new Date('2026-11-04T12:00:00Z');

const OREGON = 'state:or';
const ANN = person(1, 'Ann', [role('lower', OREGON, { district: 7, start_date: '2025-01-13' })]);
const BOB = person(2, 'Bob', [role('governor', OREGON)]);
const GOOD = {
  'or/legislature/Ann.yml': ANN,
  'or/executive/Bob.yml': BOB,
  'us/legislature/Cyd.yml': person(3, 'Cyd', [role('upper', '', { district: 'Oregon' })]),
  'or/municipalities/Dee.yml': person(4, 'Dee', [role('mayor', `${OREGON}/place:fernville`)]),
};

describe('an import', () => {
  test('loads seats, and counts the people that it leaves out by reason', async () => {
    expect(await importFiles(GOOD)).toEqual({
      status: 0,
      told: [],
      printed: [
        'added changed unchanged gone',
        'officeholders 3 0 0 0',
        'seats 3 0 0 0',
        '1 left out: mayor of a place within a state',
      ],
    });
    expect((await stored()).seats).toEqual([
      'Ann: state_representative 7',
      'Bob: governor Oregon',
      'Cyd: us_senator Oregon',
    ]);
  });

  test('accepts the folder data too, and skips retired people, committees and other folders', async () => {
    const files = {
      ...GOOD,
      'or/retired/Eve.yml': person(5, 'Eve', [role('lower', OREGON, { district: 1 })]),
      'or/committees/rules.yml': 'name: Rules',
      'or/legislature/drafts.yml/Eve.yml': 'name: Eve',
      'or/municipalities.yml': '- name: Fernville',
    };
    expect((await importFiles(files, { below: '/data' })).printed[1]).toBe('officeholders 3 0 0 0');
  });

  test('writes no row when it is repeated', async () => {
    await importFiles(GOOD);
    const before = await stored();
    const again = await importFiles(GOOD, { now: LATER });
    expect(again.printed.slice(1, 3)).toEqual(['officeholders 0 0 3 0', 'seats 0 0 3 0']);
    expect(await stored()).toEqual(before);
  });

  test('waits for another import', async () => {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.officeholderImport]);
    const importing = importFiles(GOOD);
    await until('the import to wait for the lock', () => isWaiting(client));
    await client.query('SELECT pg_advisory_unlock_all()');
    expect((await importing).printed[1]).toBe('officeholders 3 0 0 0');
  });

  test('writes no row when only the form of a text differs', async () => {
    await importFiles(GOOD);
    const before = await stored();
    const blurred = Object.fromEntries(
      Object.entries(GOOD).map(([name, text]) => [
        name,
        text
          .replace(/^name: (.)(.*)$/m, 'name: "\\u00a0 $1\\u200b$2  "')
          .replace('type: lower', 'type: "lower\\u00ad"'),
      ]),
    );
    expect(blurred).not.toEqual(GOOD);
    const again = await importFiles(blurred, { now: LATER });
    expect(again.printed.slice(1, 3)).toEqual(['officeholders 0 0 3 0', 'seats 0 0 3 0']);
    expect(await stored()).toEqual(before);
  });

  test('updates the time of exactly the people whose record or seat changed', async () => {
    const eve = (...values: string[]) => ({
      'or/legislature/Eve.yml': person(5, 'Eve', [role('lower', OREGON, { district: 8 })], values),
    });
    await importFiles({ ...GOOD, ...eve() });
    const changed = await importFiles(
      {
        ...GOOD,
        'or/legislature/Ann.yml': person(1, 'Ann', [role('lower', OREGON, { district: 7 })]),
        'or/executive/Bob.yml': person(2, 'Bob', [role('governor', OREGON), role('treasurer', OREGON)]),
        ...eve('email: e@or.example'),
      },
      { now: LATER },
    );
    expect(changed.printed.slice(1, 3)).toEqual(['officeholders 0 3 1 0', 'seats 1 1 3 0']);
    expect((await stored()).updated).toEqual({
      Ann: LATER.toISOString(),
      Bob: LATER.toISOString(),
      Cyd: NOW.toISOString(),
      Eve: LATER.toISOString(),
    });
  });

  test('removes people who have left, and keeps a person who moves to another seat', async () => {
    await importFiles(GOOD);
    const { 'or/executive/Bob.yml': _, 'or/legislature/Ann.yml': __, ...rest } = GOOD;
    const files = {
      ...rest,
      'us/legislature/Ann.yml': person(1, 'Ann', [role('lower', '', { district: 'OR-4' })]),
    };
    const { printed } = await importFiles(files, { now: LATER });
    expect(printed.slice(1, 3)).toEqual(['officeholders 0 1 1 1', 'seats 1 0 1 2']);
    expect((await stored()).seats).toEqual(['Ann: us_representative OR-4', 'Cyd: us_senator Oregon']);
  });

  test('leaves states without a folder unchanged', async () => {
    await importFiles(GOOD);
    const { printed } = await importFiles({ 'us/legislature/Cyd.yml': GOOD['us/legislature/Cyd.yml'] });
    expect(printed[1]).toBe('officeholders 0 0 1 0');
    expect((await stored()).seats).toHaveLength(3);
  });
});

describe('real files have', () => {
  test('dates in quotes or not, blanks, districts that look like numbers, an address for e-mail', async () => {
    const files = {
      'mn/legislature/a.yml': person(
        1,
        'Ann',
        [role('lower', 'state:mn', { district: '08', start_date: "'2023-01-03'", end_date: '' })],
        ['email: https://ann.example/form', 'image: ', 'given_name: ~'],
      ),
      'mn/legislature/b.yml': person(2, 'Bob', [
        role('lower', 'state:mn', { district: '1e3', start_date: '2023-01-03' }),
      ]),
    };
    expect((await importFiles(files)).status).toBe(0);
    const { rows } = await client.query(
      'SELECT district, term_start::text, email, given_name, image_url FROM officeholders JOIN officeholder_seats USING (person_id) ORDER BY name',
    );
    const nothing = { email: null, given_name: null, image_url: null, term_start: '2023-01-03' };
    expect(rows).toEqual([
      { district: '08', ...nothing },
      { district: '1e3', ...nothing },
    ]);
  });

  test('one name of two people, and several seats of one', async () => {
    await importFiles({
      'or/legislature/a.yml': person(1, 'Ann', [
        role('upper', OREGON, { district: 1 }),
        role('treasurer', OREGON),
      ]),
      'or/legislature/b.yml': person(2, 'Ann', [role('upper', OREGON, { district: 2 })]),
    });
    expect((await stored()).seats).toEqual([
      'Ann: treasurer Oregon',
      'Ann: state_senator 1',
      'Ann: state_senator 2',
    ]);
  });

  test('an expired term lasts until a successor is in office', async () => {
    const overdue = { end_date: '2026-01-01' };
    const files = { 'or/executive/Bob.yml': person(2, 'Bob', [role('governor', OREGON, overdue)]) };
    await importFiles(files);
    expect((await stored()).seats).toEqual(['Bob: governor Oregon']);
    const next = { ...files, 'or/executive/Eve.yml': person(5, 'Eve', [role('governor', OREGON)]) };
    expect((await importFiles(next)).printed.slice(1)).toEqual([
      'officeholders 1 0 0 1',
      'seats 1 0 0 1',
      '1 left out: succeeded by somebody else',
    ]);
    expect((await stored()).seats).toEqual(['Eve: governor Oregon']);
  });

  test('people who died, who left, and whose term has yet to begin', async () => {
    const { printed } = await importFiles({
      'or/executive/Bob.yml': BOB,
      'or/legislature/a.yml': person(
        1,
        'Ann',
        [role('lower', OREGON, { district: 7 })],
        ['death_date: 2026-10-01'],
      ),
      'or/legislature/c.yml': person(3, 'Cyd', [
        role('lower', OREGON, { district: 8, start_date: '2027-01-11' }),
      ]),
      'or/legislature/d.yml': person(4, 'Dee', [
        role('lower', OREGON, { district: 9, end_date: '2026-06-01', end_reason: 'resigned' }),
      ]),
    });
    expect(printed.slice(1)).toEqual([
      'officeholders 1 0 0 0',
      'seats 1 0 0 0',
      '1 left out: died',
      '2 left out: no role in office today',
    ]);
  });
});

describe('blank and unusable details', () => {
  const details = [
    'email: ""',
    `given_name: ${'a'.repeat(501)}`,
    'family_name: Ash',
    'image: "https://a.example/\\0"',
    'party:',
    '- name: ""',
    '- {name: Green, end_date: soon}',
    '- {name: Republican, end_date: ""}',
    'ids: {twitter: "", facebook: ann, youtube: [a]}',
    'other_names:',
    '- name: ""',
    'other_identifiers: ~',
    'offices:',
    '- {classification: capitol, address: "", voice: 503-555-0100}',
    '- {classification: "", voice: 503-555-0101}',
    '- {classification: district, voice: ""}',
    'contact_details: none',
    'links:',
    '- url: ""',
    '-',
    '- {url: https://ann.example, note: ""}',
    'sources:',
    '- url: https://or.example',
    '- https://or.example/2',
  ];
  const files = {
    'or/legislature/Ann.yml': person(1, 'Ann', [role('lower', OREGON, { district: 7 })], details),
    'or/legislature/Bob.yml': person(
      2,
      'Bob',
      [role('lower', OREGON, { district: 8 })],
      ['links:', "- url: ''"],
    ),
  };

  test('are left out and counted, and the person is loaded with the others', async () => {
    expect(await importFiles(files)).toEqual({
      status: 0,
      told: [],
      printed: [
        'added changed unchanged gone',
        'officeholders 2 0 0 0',
        'seats 2 0 0 0',
        'Blank or unusable details left out: 1 in given_name, 1 in email, 1 in image, 3 in party, 3 in offices, ' +
          '1 in contact_details, 4 in links, 1 in sources, 2 in ids',
      ],
    });
    const { rows } = await client.query('SELECT * FROM officeholders ORDER BY name');
    const unknown = { twitter: null, facebook: null, instagram: null, youtube: null };
    expect(rows).toMatchObject([
      {
        ...{ given_name: null, family_name: 'Ash', email: null, image_url: null, party: 'Republican' },
        ...{ phone: '503-555-0100', website_url: 'https://ann.example' },
        social: { ...unknown, facebook: 'ann' },
        offices: [{ classification: 'capitol', address: null, voice: '503-555-0100', fax: null }],
        source_urls: ['https://or.example'],
      },
      { name: 'Bob', website_url: null, party: null, social: unknown, offices: [], source_urls: [] },
    ]);
  });

  test('a blank role is left out, and the roles after it count', async () => {
    const file = person(1, 'Ann', [role('upper', OREGON, { district: 7 })]);
    const blank = file.replace('roles:\n', 'roles:\n-\n- {type: "", jurisdiction: ~}\n');
    expect(blank).not.toBe(file);
    const { status, printed } = await importFiles({ 'or/legislature/Ann.yml': blank });
    expect([status, printed.at(-1)]).toEqual([0, 'Blank or unusable details left out: 2 in roles']);
    const { rows } = await client.query('SELECT district FROM officeholder_seats');
    expect(rows).toEqual([{ district: '7' }]);
  });

  test('of people who are left out are not counted', async () => {
    const dead = { 'or/legislature/Ann.yml': `${files['or/legislature/Ann.yml']}death_date: 2026-01-01\n` };
    expect((await importFiles({ ...GOOD, ...dead })).printed.at(-1)).toBe(
      '1 left out: mayor of a place within a state',
    );
  });

  test('beyond a thousand in a list are left out too', async () => {
    const links = [
      'links:',
      ...Array.from({ length: 1002 }, (_, index) => `- url: https://${index}.example`),
    ];
    const file = person(1, 'Ann', [role('lower', OREGON, { district: 7 })], links);
    expect((await importFiles({ 'or/legislature/Ann.yml': file })).printed.at(-1)).toBe(
      'Blank or unusable details left out: 2 in links',
    );
  });
});

describe('a refused file', () => {
  const BAD: [string, string | Buffer, string][] = [
    ['no YAML', 'id: [', 'or/legislature/x.yml: is not YAML: '],
    ['a field twice', 'id: 1\nid: 2', 'or/legislature/x.yml: is not YAML: Map keys must be unique'],
    ['a list', '- a', 'or/legislature/x.yml: is not a mapping of fields'],
    ['an empty file', '', 'or/legislature/x.yml: is not a mapping of fields'],
    ['no UTF-8', Buffer.from([0x6e, 0xff]), 'or/legislature/x.yml: is not valid UTF-8'],
    ['no id', 'name: Xan', 'or/legislature/x.yml: field id: is missing'],
    [
      'no UUID',
      'id: ocd-person/7\nname: Xan\nroles: []',
      'or/legislature/x.yml: field id: must be ocd-person/ and a UUID, is "ocd-person/7"',
    ],
    ['a NUL', 'id: 7\nname: "a\\0b"', 'or/legislature/x.yml: field name: holds a NUL character'],
    [
      'no day of the calendar',
      person(9, 'Xan', [role('lower', OREGON, { district: 1, start_date: '2023-02-30' })]),
      'or/legislature/x.yml: field roles[0].start_date: must be a real date as YYYY-MM-DD, YYYY-MM or YYYY, is "2023-02-30"',
    ],
    [
      'no jurisdiction',
      person(9, 'Xan', ['- type: lower\n  jurisdiction: Oregon']),
      'or/legislature/x.yml: field roles[0].jurisdiction: must be an ocd-jurisdiction of the U.S., is "Oregon"',
    ],
    [
      'no name',
      person(9, '""', [role('lower', OREGON, { district: 1 })]),
      'or/legislature/x.yml: field name: is missing',
    ],
    [
      'no roles, as if it were cut off',
      `id: ocd-person/${personId(9)}\nname: Xan\nroles:`,
      'or/legislature/x.yml: field roles: is missing',
    ],
    [
      'a role without a type',
      person(9, 'Xan', [role('lower', OREGON, { district: 1 }), `- jurisdiction: ${OREGON}`]),
      'or/legislature/x.yml: field roles[1].type: is missing',
    ],
    [
      'no district',
      person(9, 'Xan', [role('mayor', `${OREGON}/place:fernville`), role('lower', OREGON)]),
      'or/legislature/x.yml: field roles[1].district: is missing',
    ],
    [
      'an id of another',
      person(1, 'Xan', [role('lower', OREGON, { district: 2 })]),
      `or/legislature/x.yml: field id: must be unique, is ${personId(1)} as in or/legislature/Ann.yml`,
    ],
  ];
  test.each(BAD)('with %s is named, and nothing is loaded', async (_, content, message) => {
    const { status, told, printed } = await importFiles({ ...GOOD, 'or/legislature/x.yml': content });
    expect([status, printed]).toEqual([1, []]);
    expect(told[0]?.slice(0, message.length)).toBe(message);
    expect(told.at(-1)).toBe('Nothing was loaded: 1 file is refused. --skip-refused loads the others.');
    expect((await stored()).seats).toEqual([]);
    expect((await client.query('SELECT FROM officeholder_load')).rowCount).toBe(0);
  });

  test('is left out with --skip-refused, and its person stays as stored', async () => {
    await importFiles({
      ...GOOD,
      [`or/legislature/Eve-${personId(5)}.yml`]: person(5, 'Eve', [role('upper', OREGON, { district: 3 })]),
    });
    const { 'or/executive/Bob.yml': _, ...rest } = GOOD;
    const files = { ...rest, [`or/legislature/Eve-${personId(5)}.yml`]: 'id: [' };
    const { status, told, printed } = await importFiles(files, { options: ['--skip-refused'] });
    expect([status, printed[1]]).toEqual([0, 'officeholders 0 0 2 1']);
    expect(told.at(-1)).toBe('1 file is left out, as --skip-refused asks; the others are loaded.');
    expect((await stored()).seats.map((seat) => seat.slice(0, 3))).toEqual(['Ann', 'Cyd', 'Eve']);
  });

  test('has its id, so that a second file of the person is refused as well', async () => {
    const files = {
      ...GOOD,
      'or/legislature/x.yml': person(9, 'Xan', [role('lower', OREGON)]),
      'or/legislature/y.yml': person(9, 'Xan', [role('lower', OREGON, { district: 2 })]),
    };
    const { told } = await importFiles(files, { options: ['--skip-refused'] });
    const first = `must be unique, is ${personId(9)} as in or/legislature/x.yml`;
    expect(told).toContain(`or/legislature/y.yml: field id: ${first}`);
    expect((await stored()).seats.map(([name]) => name)).not.toContain('Xan');
  });

  test("without its person's id, after one with it, removes nobody in its state", async () => {
    await importFiles(GOOD);
    const { 'or/executive/Bob.yml': _, ...rest } = GOOD;
    const named = `or/legislature/Eve-${personId(5)}.yml`;
    const files = { ...rest, [named]: 'id: [', 'or/legislature/x.yml': 'id: [' };
    const { printed } = await importFiles(files, { options: ['--skip-refused'] });
    expect(printed[1]).toBe('officeholders 0 0 2 0');
  });

  test("without its person's id removes nobody in its state", async () => {
    await importFiles(GOOD);
    const { 'or/executive/Bob.yml': _, ...rest } = GOOD;
    const files = { ...rest, 'or/legislature/x.yml': 'id: [' };
    const { printed } = await importFiles(files, { options: ['--skip-refused'] });
    expect(printed[1]).toBe('officeholders 0 0 2 0');
    expect((await stored()).seats).toHaveLength(3);
  });
});

describe('arguments', () => {
  const refusal = (
    args: string[],
    env: Record<string, string> = { DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  ) =>
    run(args, createIo(env, { now: NOW })).then(
      () => 'none',
      (error: Error) => error.message,
    );

  test('with a wrong path are refused with a hint', async () => {
    const hint = 'see "npm run ops -- officeholders import --help".';
    expect(await refusal(['import'])).toBe(`Missing required argument 'dir': ${hint}`);
    expect(await refusal(['import', 'a', 'b'])).toMatch(/^Too many arguments /);
    expect(await refusal(['import', 'a', '--all'])).toBe(`Unknown option '--all': ${hint}`);
    expect(await refusal(['import', '/nowhere'])).toBe('There is no folder /nowhere.');
    expect(await refusal(['import', import.meta.dirname])).toContain(
      'is not a checkout of the Open States people',
    );
  });

  test('a missing database is reported in one sentence, not as a defect', async () => {
    const checkout = await createCheckout(GOOD);
    expect(await refusal(['import', checkout.dir])).toMatch(
      /^Postgres at 127\.0\.0\.1:1 does not answer \(.*\): start it/,
    );
    await checkout.remove();
  });
});
