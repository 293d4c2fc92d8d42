import { expect, test } from '@jest/globals';
import { choice, contest, election, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { counts, GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';

const { client, contents, importFiles } = useCatalogueCommand();

const OREGON = 'or-2026-11-03-general';
const CALIFORNIA = 'ca-2026-11-03-general';
const at = (state: string | null) => ({
  district: { name: 'Fernville', level: 'city', type: 'place', state },
});
const files = (elections: object[], contests: object[]) => ({
  ...GOOD,
  'elections.ndjson': ndjson(elections),
  'contests.ndjson': ndjson(contests),
});
const contestsOnly = (...contests: object[]) => ({ 'contests.ndjson': ndjson(contests) });
const electionsOnly = (...elections: object[]) => ({ 'elections.ndjson': ndjson(elections) });

const FOREIGN =
  'contests.ndjson:1: field district.state: must be "OR", that of the election, or null for the nation, is "CA" (or-2026-11-03-general/mayor)';

test('a contest in another state than its election is refused, wherever the election comes from', async () => {
  const foreign = contest('mayor', at('CA'));
  const together = await importFiles(files([election()], [foreign, contest('council')]));
  expect([together.status, together.told[0]]).toEqual([1, FOREIGN]);
  expect((await contents()).elections).toEqual([]);
  await importFiles(files([election()], [contest('council')]));
  expect((await importFiles(contestsOnly(foreign))).told[0]).toBe(FOREIGN);
  // A refused contest has not vanished.
  expect((await importFiles(contestsOnly(foreign, contest('council')), '--skip-refused')).status).toBe(0);
  expect((await contents()).contests).toMatchObject([{ key: `${OREGON}/council`, removed_at: null }]);
});

test('a contest in the state of its election or in the whole nation is accepted', async () => {
  const contests = [contest('mayor'), contest('president', at(null))];
  // A second line of the election does not count.
  const elections = [election(), election({ state: 'CA' })];
  const { status, printed } = await importFiles(files(elections, contests), '--skip-refused');
  expect([status, counts(printed, 'contests')]).toEqual([0, [2, 0, 0, 0, 0]]);
});

test('an election that moves to another state takes all its contests along', async () => {
  const moved = election({ state: 'CA' });
  const [mayor, council] = [contest('mayor', at('CA')), contest('council', at('CA'))];
  await importFiles(
    files([election()], [contest('mayor'), contest('council'), contest('president', at(null))]),
  );
  const before = await contents();
  const STAYS = `elections.ndjson:1: field state: must be that of the districts of its contests, such as "OR" of "${OREGON}/council", is "CA"; import these contests with it (${OREGON})`;
  expect((await importFiles(electionsOnly(moved))).told[0]).toBe(STAYS);
  expect((await importFiles(files([moved], [mayor]), '--keep-missing')).told[0]).toBe(STAYS);
  expect(
    (await importFiles(files([moved], [mayor, { ...council, title: '' }]), '--skip-refused')).told,
  ).toContain(STAYS);
  expect(await contents()).toEqual(before);
  expect((await importFiles(files([moved], [mayor, council]))).status).toBe(0);
  expect((await contents()).contests).toMatchObject([{ removed_at: null }, { removed_at: null }, {}]);
});

const CALIFORNIAN = contest('council', at('CA'));

test.each<[string, object[], string]>([
  [
    'stays in its state with a contest that contradicts itself',
    [
      contest('mayor', {
        ...at('CA'),
        choices: ['1', '2'].map((key) => choice(key, { candidate: { full_name: 'Bob' } })),
      }),
    ],
    'OR',
  ],
  ['stays in its state with a contest that names it', [contest('mayor', at('OR')), CALIFORNIAN], 'OR'],
  [
    'stays in its state with a contest whose key cannot be read',
    [contest('mayor', { key: 7 }), CALIFORNIAN],
    'OR',
  ],
  ['stays in its state if all contests of the files are refused', [contest('clerk', { title: '' })], 'OR'],
  [
    'moves with contests of which the files have a second line',
    [contest('mayor', at('CA')), CALIFORNIAN, CALIFORNIAN],
    'CA',
  ],
])('an election that moves with --skip-refused %s', async (_, contests, state) => {
  await importFiles(files([election()], [contest('mayor'), contest('council')]));
  const moved = files([election({ state: 'CA' })], contests);
  expect((await importFiles(moved, '--skip-refused', '--allow-removals', '9')).status).toBe(0);
  const { rows } = await client.query(
    `SELECT DISTINCT l.state, d.state AS of_district
     FROM contests c JOIN elections l ON l.id = c.election_id JOIN districts d ON d.id = c.district_id
     WHERE c.removed_at IS NULL`,
  );
  expect(rows).toEqual([{ state, of_district: state }]);
});

test('a removed contest and one of another election do not keep an election in its state', async () => {
  await importFiles(files([election()], [contest('mayor'), contest('president', at(null))]));
  await importFiles(contestsOnly(contest('president', at(null))));
  const other = election({ slug: CALIFORNIA, state: 'CA' });
  await importFiles(files([other], [contest('mayor', { election: CALIFORNIA, ...at('CA') })]));
  expect((await importFiles(electionsOnly(election({ state: 'NY' })))).status).toBe(0);
});

const CITY = {
  level: 'city',
  type: 'place',
  state: 'OR',
  ocd_id: 'ocd-division/country:us/state:or/place:fernville',
};
const named = (name: string) => ({ district: { ...CITY, name } });
const PRIMARY = 'or-2026-05-19-primary';
const LATER = 'or-2027-05-18-primary';

test.each([
  [
    'another part of the election',
    [contest('council', named('City of Fernville'))],
    ['--keep-missing'],
    false,
  ],
  [
    'an earlier election',
    [contest('council', { election: PRIMARY, ...named('City of Fernville') })],
    [],
    false,
  ],
  ['all contests there', [contest('mayor', named('City of Fernville'))], ['--keep-missing'], true],
  ['a file without the former contests', [contest('council', named('City of Fernville'))], [], true],
  ['a later election', [contest('judge', { election: LATER, ...named('City of Fernville') })], [], true],
  [
    'an earlier and a later election',
    [PRIMARY, LATER].map((slug) => contest('judge', { election: slug, ...named('City of Fernville') })),
    [],
    true,
  ],
])(
  '%s that names a district differently renames it only if no contest keeps its name',
  async (_, contests, options, renames) => {
    const elections = [
      election(),
      election({ slug: PRIMARY, date: '2026-05-19', type: 'primary' }),
      election({ slug: LATER, date: '2027-05-18', type: 'primary' }),
    ];
    await importFiles(files(elections, [contest('mayor', named('Fernville'))]));
    const { told } = await importFiles(contestsOnly(...contests), ...options);
    const { rows } = await client.query('SELECT name FROM districts');
    expect(rows).toEqual([{ name: renames ? 'City of Fernville' : 'Fernville' }]);
    expect(told).toEqual(
      renames
        ? []
        : [
            expect.stringMatching(
              / is called "Fernville", but "City of Fernville" in .*; "Fernville" stays\.$/,
            ),
          ],
    );
  },
);

test('the names of removed contests do not keep that of a district', async () => {
  await importFiles(files([election()], [contest('mayor', named('Fernville')), contest('clerk')]));
  await importFiles(contestsOnly(contest('clerk')));
  await importFiles(contestsOnly(contest('council', named('City of Fernville'))), '--keep-missing');
  const { rows } = await client.query('SELECT name FROM districts WHERE ocd_id IS NOT NULL');
  expect(rows).toEqual([{ name: 'City of Fernville' }]);
});

test('another Spanish name is told as one, and does not count either', async () => {
  const spanish = { district: { ...CITY, name: 'Fernville', name_es: 'Villa' } };
  const mayor = contest('mayor', named('Fernville'));
  await importFiles(files([election()], [mayor]));
  expect((await importFiles(contestsOnly(contest('council', spanish), mayor))).told).toEqual([
    `The district ${CITY.ocd_id} (city, place, OR) is called "Fernville", but "Fernville (in Spanish: Villa)" in ${OREGON}/council; "Fernville" stays.`,
  ]);
  await importFiles(contestsOnly(contest('clerk', spanish)), '--keep-missing');
  const { rows } = await client.query('SELECT name_es FROM districts');
  expect(rows).toEqual([{ name_es: null }]);
});

test('districts of one name are several if they differ in anything else', async () => {
  const all = [
    {},
    { ocd_id: null, name: CITY.ocd_id },
    { level: 'county' },
    { type: 'ward' },
    { state: null },
  ].map((values) => ({ ...CITY, name: 'Fernville', ...values }));
  const contests = all.map((district, at) => contest(`c${at}`, { district }));
  for (const _ of ['first', 'again']) {
    expect((await importFiles(files([election()], contests))).told).toEqual([]);
    const { rows } = await client.query(
      'SELECT d.ocd_id, d.name, d.level, d.type, d.state FROM contests c JOIN districts d ON d.id = c.district_id ORDER BY c.key',
    );
    expect(rows).toEqual(all);
  }
});
