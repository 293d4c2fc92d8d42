import { describe, expect, test } from '@jest/globals';
import { mapRole, orderSeats, type Seat } from '../../domain/officeholders.ts';
import { type Role, type RoleInOffice, rolesInOffice } from '../../domain/officeholders-terms.ts';
import { STATE_CODES } from '../../schemas/vocabulary.ts';

const government = (place: string) => `ocd-jurisdiction/country:us${place}/government`;
const division = (place: string) => `ocd-division/country:us${place}`;

const role = (overrides: Partial<RoleInOffice> = {}): RoleInOffice => ({
  index: 0,
  type: 'lower',
  jurisdiction: government('/state:ca'),
  district: '7',
  start: '2025-01-03',
  end: null,
  endReason: null,
  overdue: false,
  ...overrides,
});

/** Type, place and district of a role; office, title, level, state, district and division of its seat. */
type Row = [string, string, string | null, string, string, string, string, string, string];
const ROWS: Row[] = [
  ['upper', '', 'New York', 'us_senator', 'U.S. Senator', 'federal', 'NY', 'New York', '/state:ny'],
  [
    'lower',
    '',
    'KY-3',
    'us_representative',
    'U.S. Representative',
    'federal',
    'KY',
    'KY-3',
    '/state:ky/cd:3',
  ],
  [
    'lower',
    '',
    'WY-AL',
    'us_representative',
    'U.S. Representative',
    'federal',
    'WY',
    'WY-AL',
    '/state:wy/cd:at-large',
  ],
  [
    'lower',
    '',
    'DC-AL',
    'us_representative',
    'Delegate to the U.S. House of Representatives',
    'federal',
    'DC',
    'DC-AL',
    '/district:dc',
  ],
  [
    'lower',
    '',
    'PR-AL',
    'us_representative',
    'Resident Commissioner',
    'federal',
    'PR',
    'PR-AL',
    '/territory:pr',
  ],
  ['governor', '/state:wy', null, 'governor', 'Governor', 'state', 'WY', 'Wyoming', '/state:wy'],
  ['governor', '/territory:gu', null, 'governor', 'Governor', 'state', 'GU', 'Guam', '/territory:gu'],
  [
    'governor',
    '/district:dc',
    null,
    'governor',
    'Mayor',
    'state',
    'DC',
    'District of Columbia',
    '/district:dc',
  ],
  [
    'lt_governor',
    '/state:ne',
    null,
    'lieutenant_governor',
    'Lieutenant Governor',
    'state',
    'NE',
    'Nebraska',
    '/state:ne',
  ],
  [
    'attorney general',
    '/state:ca',
    null,
    'attorney_general',
    'Attorney General',
    'state',
    'CA',
    'California',
    '/state:ca',
  ],
  [
    'Secretary of State',
    '/state:ca',
    null,
    'secretary_of_state',
    'Secretary of State',
    'state',
    'CA',
    'California',
    '/state:ca',
  ],
  [
    'secretary of state',
    '/state:pa',
    null,
    'secretary_of_state',
    'Secretary of the Commonwealth',
    'state',
    'PA',
    'Pennsylvania',
    '/state:pa',
  ],
  [
    'chief election officer',
    '/district:dc',
    null,
    'chief_election_officer',
    'Chief Election Officer',
    'state',
    'DC',
    'District of Columbia',
    '/district:dc',
  ],
  ['treasurer', '/state:or', null, 'treasurer', 'State Treasurer', 'state', 'OR', 'Oregon', '/state:or'],
  ['state_auditor', '/state:ut', null, 'auditor', 'State Auditor', 'state', 'UT', 'Utah', '/state:ut'],
  [
    'auditor general',
    '/state:mi',
    null,
    'auditor',
    'Auditor General',
    'state',
    'MI',
    'Michigan',
    '/state:mi',
  ],
  ['upper', '/state:ca', '11', 'state_senator', 'Senator', 'state', 'CA', '11', '/state:ca/sldu:11'],
  [
    'lower',
    '/state:ca',
    '37',
    'state_representative',
    'Assemblymember',
    'state',
    'CA',
    '37',
    '/state:ca/sldl:37',
  ],
  [
    'lower',
    '/state:wy',
    '08',
    'state_representative',
    'Representative',
    'state',
    'WY',
    '08',
    '/state:wy/sldl:08',
  ],
  ['lower', '/state:md', '1A', 'state_representative', 'Delegate', 'state', 'MD', '1A', '/state:md/sldl:1a'],
  [
    'lower',
    '/state:nh',
    'Belknap 2',
    'state_representative',
    'Representative',
    'state',
    'NH',
    'Belknap 2',
    '/state:nh/sldl:belknap_2',
  ],
  [
    'lower',
    '/state:vt',
    'Addison-1',
    'state_representative',
    'Representative',
    'state',
    'VT',
    'Addison-1',
    '/state:vt/sldl:addison-1',
  ],
  [
    'upper',
    '/state:ma',
    'First Essex and Middlesex',
    'state_senator',
    'Senator',
    'state',
    'MA',
    'First Essex and Middlesex',
    '/state:ma/sldu:1st_essex_and_middlesex',
  ],
  [
    'lower',
    '/state:ma',
    'Barnstable, Dukes and Nantucket',
    'state_representative',
    'Representative',
    'state',
    'MA',
    'Barnstable, Dukes and Nantucket',
    '/state:ma/sldl:barnstable_dukes_and_nantucket',
  ],
  ['upper', '/territory:pr', 'IV', 'state_senator', 'Senator', 'state', 'PR', 'IV', '/territory:pr/sldu:4'],
  [
    'upper',
    '/territory:pr',
    'At-Large',
    'state_senator',
    'Senator',
    'state',
    'PR',
    'At-Large',
    '/territory:pr',
  ],
  ['legislature', '/state:ne', '21', 'state_legislator', 'Senator', 'state', 'NE', '21', '/state:ne/sldu:21'],
  [
    'legislature',
    '/district:dc',
    'Ward 4',
    'city_council',
    'Councilmember',
    'city',
    'DC',
    'Ward 4',
    '/district:dc/ward:4',
  ],
  [
    'legislature',
    '/district:dc',
    'At-Large',
    'city_council',
    'Councilmember',
    'city',
    'DC',
    'At-Large',
    '/district:dc',
  ],
  [
    'legislature',
    '/district:dc',
    'Chairman',
    'city_council',
    'Chairman',
    'city',
    'DC',
    'Chairman',
    '/district:dc',
  ],
];

describe('a role is the seat', () => {
  test.each(ROWS)(
    '%s of %s, district %s: %s',
    (type, place, district, office, office_title, level, state, name, ocd) => {
      expect(mapRole(role({ type, jurisdiction: government(place), district }))).toEqual({
        seat: {
          office,
          office_title,
          level,
          state,
          district: name,
          district_ocd_id: division(ocd),
          term_start: '2025-01-03',
          term_end: null,
        },
      });
    },
  );

  test('that every state has a governor', () => {
    for (const code of STATE_CODES) {
      const kind = {
        DC: 'district',
        AS: 'territory',
        GU: 'territory',
        MP: 'territory',
        PR: 'territory',
        VI: 'territory',
      };
      const place = `/${kind[code as keyof typeof kind] ?? 'state'}:${code.toLowerCase()}`;
      const mapped = mapRole(role({ type: 'governor', jurisdiction: government(place), district: null }));
      expect(mapped).toMatchObject({
        seat: { office: 'governor', state: code, district_ocd_id: division(place) },
      });
    }
  });

  test.each([
    ['mayor', '/state:ca/place:chico', null, 'mayor of a place within a state'],
    ['legislature', '/state:il/place:chicago', 'Ward 4', 'legislature of a place within a state'],
    ['legislature', '/state:ca', '4', 'legislature of California'],
    ['president', '', null, 'president'],
    ['governor', '', null, 'governor'],
    ['constructor', '/state:ca', null, 'constructor'],
    ['governor', '/state:zz', null, 'governor of a place within a state'],
  ])('or outside of the interface: %s of %s', (type, place, district, outside) => {
    expect(mapRole(role({ type, jurisdiction: government(place), district }))).toEqual({ outside });
  });

  test.each([
    ['upper', '', 'Jefferson', /name of a state/],
    ['upper', '', 'constructor', /name of a state/],
    ['lower', '', 'KY', /KY-3/],
    ['lower', '', 'ZZ-1', /KY-3/],
    ['upper', '/state:ca', null, /missing/],
  ])('or wrong: %s of %s, district %s', (type, place, district, message) => {
    const mapped = mapRole(role({ type, jurisdiction: government(place), district }));
    expect(mapped).toEqual({ problem: expect.stringMatching(message) });
  });

  test('with the days that are known, and no end that has passed', () => {
    const term = (overrides: Partial<RoleInOffice>) => {
      const mapped = mapRole(role(overrides));
      return 'seat' in mapped ? [mapped.seat.term_start, mapped.seat.term_end] : mapped;
    };
    expect(term({ start: '2023-01-02', end: '2027-01-04' })).toEqual(['2023-01-02', '2027-01-04']);
    expect(term({ start: '2023', end: '2027-01' })).toEqual([null, null]);
    expect(term({ start: '2023-01-02', end: '2025-01-04', overdue: true })).toEqual(['2023-01-02', null]);
  });
});

describe('who is in office', () => {
  const TODAY = '2026-11-03';
  const inOffice = (roles: Partial<Role>[], isOfFolder = (_: Role) => true) =>
    rolesInOffice(
      roles.map((given, index) => role({ start: null, ...given, index })),
      TODAY,
      isOfFolder,
    ).map(({ index, overdue }) => (overdue ? `${index} overdue` : `${index}`));

  test.each<[string, Partial<Role>[], string[]]>([
    ['a role without dates', [{}], ['0']],
    ['one that began today', [{ start: TODAY }], ['0']],
    ['not one that begins tomorrow', [{ start: '2026-11-04' }], []],
    ['one that ends tomorrow', [{ end: '2026-11-04' }], ['0']],
    ['one that ends today only for want of another', [{ end: TODAY }], ['0 overdue']],
    ['not one that ends today beside another', [{ end: TODAY }, { start: TODAY }], ['1']],
    ['one that ends some day of this month', [{ end: '2026-11' }], ['0']],
    ['one that ends some day of this year', [{ end: '2026' }], ['0']],
    ['one that began some day of this month', [{ start: '2026-11' }], ['0']],
    ['not one that begins next year', [{ start: '2027' }], []],
    ['several at once', [{ district: '1' }, { end: '2020-01-01' }, { district: '2' }], ['0', '2']],
    [
      'the last that ended on paper',
      [{ end: '2020-01-01' }, { end: '2025-01-01' }, { end: '2022-01-01' }],
      ['1 overdue'],
    ],
    [
      'nobody whose last role ended for a reason',
      [{ end: '2025-01-01', endReason: 'resigned' }, { end: '2020-01-01' }],
      [],
    ],
    ['nobody without a role', [], []],
  ])('%s', (_, roles, expected) => {
    expect(inOffice(roles)).toEqual(expected);
  });

  test('a role that ended goes on only where the folder is for its kind', () => {
    const roles = [
      { type: 'lower', end: '2024-01-01' },
      { type: 'governor', end: '2023-01-01' },
    ];
    expect(inOffice(roles, ({ type }) => type === 'governor')).toEqual(['1 overdue']);
    expect(inOffice(roles, () => false)).toEqual([]);
  });
});

test('seats stand once, the highest first, the later of two terms', () => {
  const seat = (overrides: Partial<Seat>): Seat => ({
    office: 'state_senator',
    office_title: 'Senator',
    level: 'state',
    state: 'CA',
    district: '1',
    district_ocd_id: division('/state:ca/sldu:1'),
    term_start: null,
    term_end: null,
    ...overrides,
  });
  const seats = orderSeats([
    seat({ office: 'city_council', level: 'city' }),
    seat({ term_start: '2019-01-01' }),
    seat({ term_start: '2023-01-01' }),
    seat({ term_start: '2021-01-01' }),
    seat({ office: 'governor' }),
    seat({ office: 'us_representative', level: 'federal' }),
  ]);
  expect(seats.map(({ office, term_start }) => [office, term_start])).toEqual([
    ['us_representative', null],
    ['governor', null],
    ['state_senator', '2023-01-01'],
    ['city_council', null],
  ]);
});
