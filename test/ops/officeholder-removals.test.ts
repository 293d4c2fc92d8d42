import { describe, expect, test } from '@jest/globals';
import { useOfficeholderCommand } from '../helpers/officeholders/officeholder-command.ts';
import { person, personId, role } from '../helpers/officeholders/people-checkout.ts';

const { client, importFiles, stored } = useOfficeholderCommand();

type Files = Record<string, string>;

/** The files of a state's representatives; their numbers become their ids, names and districts. */
function house(state: string, from: number, to: number): Files {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return Object.fromEntries(
    numbers.map((n) => [
      `${state}/legislature/${n}.yml`,
      person(n, `P${n}`, [role('lower', `state:${state}`, { district: n })]),
    ]),
  );
}

/** The number of stored seats by state. */
async function byState(): Promise<Record<string, number>> {
  const { rows } = await client.query(
    'SELECT state, count(*)::integer FROM officeholder_seats GROUP BY state ORDER BY state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

const loadedAt = () =>
  client.query('SELECT loaded_at FROM officeholder_load').then(({ rows }) => rows[0]?.loaded_at);

const REASON =
  'Nothing was loaded: the files lack these officeholders or show that they left office, so they would be removed:';
const PART = 'If the files have only a part of a state, add --keep-missing.';

describe('an import that would take officeholders away', () => {
  test('beyond a tenth of a state changes nothing, and says how many by state and how to go on', async () => {
    await importFiles({ ...house('tx', 1, 20), ...house('or', 101, 104) });
    const before = [await stored(), await loadedAt()];
    const truncated = { ...house('tx', 7, 21), ...house('or', 102, 104) };
    const later = { now: new Date('2026-11-04T12:00:00Z') };
    const { status, told, printed } = await importFiles(truncated, later);
    expect([status, told]).toEqual([
      1,
      [
        [
          REASON,
          '  TX: 6 of 20 officeholders',
          '  OR: 1 of 4 officeholders',
          `${PART} If this is intended, add --allow-removals 7.`,
        ].join('\n'),
      ],
    ]);
    expect(printed).toEqual(['added changed unchanged gone', 'officeholders 1 0 17 7', 'seats 1 0 17 7']);
    expect([await stored(), await loadedAt()]).toEqual(before);

    // Trying again does not help, and consent to fewer does not either.
    expect((await importFiles(truncated, later)).status).toBe(1);
    expect((await importFiles(truncated, { options: ['--allow-removals', '6'] })).status).toBe(1);
    expect([await stored(), await loadedAt()]).toEqual(before);
    expect((await importFiles(truncated, { options: ['--allow-removals', '7'] })).status).toBe(0);
    expect(await byState()).toEqual({ OR: 3, TX: 15 });
    const again = await importFiles(truncated, { options: ['--allow-removals', '0'] });
    expect([again.status, again.printed[1]]).toEqual([0, 'officeholders 0 0 18 0']);
  });

  test('from a folder with one person changes nothing', async () => {
    const both = [role('lower', 'state:tx', { district: 20 }), role('governor', 'state:tx')];
    await importFiles({ ...house('tx', 1, 19), 'tx/legislature/20.yml': person(20, 'P20', both) });
    const { status, told } = await importFiles(house('tx', 1, 1));
    // A person with two seats counts once.
    expect([status, told[0]?.split('\n')[1]]).toEqual([1, '  TX: 19 of 20 officeholders']);
    expect(await byState()).toEqual({ TX: 21 });
  });

  test('up to a tenth of each state, or fewer than five, is loaded', async () => {
    await importFiles({ ...house('tx', 1, 50), ...house('or', 101, 104) });
    const { status, printed } = await importFiles({ ...house('tx', 6, 50), ...house('or', 101, 101) });
    expect([status, printed[1]]).toEqual([0, 'officeholders 0 0 46 8']);
    expect(await byState()).toEqual({ OR: 1, TX: 45 });
  });

  test('in small parts of many states together is bounded too', async () => {
    const states = [
      'al',
      'ak',
      'az',
      'ar',
      'ca',
      'co',
      'ct',
      'de',
      'fl',
      'ga',
      'hi',
      'id',
      'il',
      'in',
    ].concat(['ia', 'ks', 'ky', 'la', 'me', 'md', 'ma', 'mi', 'mn', 'ms', 'mo', 'mt']);
    const nation = (missing: number) =>
      Object.assign(
        {},
        ...states.map((state, index) => house(state, 100 * index + missing, 100 * index + 9)),
      );
    await importFiles(nation(0));
    const { status, told } = await importFiles(nation(4));
    expect(status).toBe(1);
    const lines = told[0]?.split('\n') ?? [];
    expect(lines).toHaveLength(23);
    expect(lines.slice(1, 5).map((line) => line.trim().slice(0, 2))).toEqual(['AK', 'AL', 'AR', 'AZ']);
    expect(lines.slice(-2)).toEqual([
      '  and 6 more states',
      `${PART} If this is intended, add --allow-removals 104.`,
    ]);
  });

  test("counts a state's members of Congress with the state, not with the nation", async () => {
    const delegation = (state: string, from: number, to: number): Files =>
      Object.fromEntries(
        Object.keys(house(state, from, to)).map((_, index) => [
          `us/legislature/${from + index}.yml`,
          person(from + index, `C${from + index}`, [
            role('lower', '', { district: `${state.toUpperCase()}-${index + 1}` }),
          ]),
        ]),
      );
    await importFiles({ ...delegation('ca', 1, 52), ...delegation('or', 101, 106) });
    const { status, told } = await importFiles(delegation('ca', 1, 52));
    expect([status, told[0]?.split('\n')[1]]).toEqual([1, '  OR: 6 of 6 officeholders']);
  });

  test('because their files show that they left is bounded as well', async () => {
    await importFiles(house('tx', 1, 20));
    const dead = Object.fromEntries(
      Object.entries(house('tx', 1, 20)).map(([name, text]) => [name, `${text}death_date: 2026-11-01\n`]),
    );
    expect((await importFiles(dead)).status).toBe(1);
    const kept = await importFiles(dead, { options: ['--keep-missing'] });
    expect([kept.status, kept.told[0]?.split('\n').at(-1)]).toEqual([
      1,
      'If this is intended, add --allow-removals 20.',
    ]);
    expect(await byState()).toEqual({ TX: 20 });
  });
});

describe('--keep-missing', () => {
  test('keeps the people that the files lack, and removes those whose files show that they left', async () => {
    await importFiles({ ...house('tx', 1, 20), ...house('or', 101, 104) });
    const part = {
      'tx/legislature/1.yml': person(1, 'P1', [
        role('lower', 'state:tx', { district: 1, end_date: '2026-10-01', end_reason: 'resigned' }),
      ]),
      'tx/legislature/2.yml': person(2, 'Paula', [role('lower', 'state:tx', { district: 2 })]),
      'tx/legislature/21.yml': person(21, 'P21', [role('lower', 'state:tx', { district: 21 })]),
    };
    const { status, printed } = await importFiles(part, { options: ['--keep-missing'] });
    expect([status, ...printed.slice(1)]).toEqual([
      0,
      'officeholders 1 1 0 1',
      'seats 1 0 1 1',
      '1 left out: no role in office today',
    ]);
    expect(await byState()).toEqual({ OR: 4, TX: 20 });
    const { seats } = await stored();
    expect(seats).toContain('Paula: state_representative 2');
    expect(seats).not.toContain('P1: state_representative 1');
    // The same files without the option are a truncated state.
    expect((await importFiles(part)).status).toBe(1);
  });
});

test('people who move to another chamber or state are not taken away', async () => {
  await importFiles({ ...house('tx', 1, 20), ...house('or', 101, 104) });
  const moved = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [
      `${index < 5 ? 'us' : 'tx'}/legislature/${index + 1}.yml`,
      person(index + 1, `P${index + 1}`, [
        index < 5
          ? role('lower', '', { district: `OR-${index + 1}` })
          : role('upper', 'state:tx', { district: index + 1 }),
      ]),
    ]),
  );
  const files = { ...house('tx', 11, 20), ...moved };
  const { status, printed } = await importFiles(files);
  expect([status, printed[1]]).toEqual([0, 'officeholders 0 10 10 0']);
  expect(await byState()).toEqual({ OR: 9, TX: 15 });
  // Now Texas has lost five, and nobody has gone.
  expect((await importFiles(files)).printed[1]).toBe('officeholders 0 0 20 0');
});

test('a refused file that names nobody keeps everybody, in other states too', async () => {
  await importFiles({ ...house('tx', 1, 4), ...house('or', 101, 104) });
  const files = { ...house('tx', 2, 4), ...house('or', 101, 104), 'us/legislature/x.yml': 'id: [' };
  const { printed } = await importFiles(files, { options: ['--skip-refused'] });
  expect(printed[1]).toBe('officeholders 0 0 7 0');
  expect(await byState()).toEqual({ OR: 4, TX: 4 });
});

test('--dry-run reports what the import would change, and changes nothing', async () => {
  await importFiles(house('tx', 1, 4));
  const before = [await stored(), await loadedAt()];
  const files = {
    ...house('tx', 2, 5),
    'tx/legislature/4.yml': person(4, 'Paul', [role('governor', 'state:tx')]),
  };
  const dry = await importFiles(files, { options: ['--dry-run'] });
  expect([dry.status, dry.told]).toEqual([0, ['This was a dry run: nothing was changed.']]);
  expect([await stored(), await loadedAt()]).toEqual(before);
  const done = await importFiles(files);
  expect(done).toEqual({ status: 0, told: [], printed: dry.printed });
  expect(done.printed[1]).toBe('officeholders 1 1 2 1');
  const refused = await importFiles({ 'tx/legislature/x.yml': 'id: [' }, { options: ['--dry-run'] });
  expect(refused.status).toBe(1);
});

test('a dry run of a first import leaves officeholders unavailable', async () => {
  await importFiles(
    { [`tx/legislature/${personId(1)}.yml`]: house('tx', 1, 1)['tx/legislature/1.yml'] ?? '' },
    {
      options: ['--dry-run'],
    },
  );
  expect([await byState(), await loadedAt()]).toEqual([{}, undefined]);
});
