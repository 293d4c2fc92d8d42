import { describe, expect, test } from '@jest/globals';
import {
  hasOneHolder,
  isExecutive,
  mapRole,
  orderSeats,
  type Seat,
} from '../../../domain/officeholders/officeholders.ts';
import { readJurisdiction } from '../../../domain/officeholders/states.ts';
import type { RoleInOffice } from '../../../domain/officeholders/terms.ts';
import { STATE_CODES } from '../../../schemas/vocabulary.ts';
import { division, government, role } from '../../helpers/officeholders/office-roles.ts';
import { ROLES_AND_SEATS } from '../../helpers/officeholders/roles-and-seats.ts';

/** A seat with some fields replaced. */
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

describe('a role is mapped to the seat', () => {
  test.each(ROLES_AND_SEATS)(
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

  test('of governor in every state', () => {
    for (const code of STATE_CODES) {
      const isTerritory = ['AS', 'GU', 'MP', 'PR', 'VI'].includes(code);
      const kind = isTerritory ? 'territory' : code === 'DC' ? 'district' : 'state';
      const place = `/${kind}:${code.toLowerCase()}`;
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
    ['legislature', '', 'KY-3', 'legislature of the nation'],
    ['governor', '', null, 'governor'],
    ['constructor', '/state:ca', null, 'constructor'],
    ['governor', '/state:zz', null, 'governor of a place within a state'],
  ])('or is outside of the interface: %s of %s', (type, place, district, outside) => {
    expect(mapRole(role({ type, jurisdiction: government(place), district }))).toEqual({ outside });
  });

  test.each([
    ['upper', '', 'Jefferson', /name of a state/],
    ['upper', '', 'constructor', /name of a state/],
    ['lower', '', 'KY', /KY-3/],
    ['lower', '', 'ZZ-1', /KY-3/],
    ['upper', '/state:ca', null, /missing/],
  ])('or has a problem: %s of %s, district %s', (type, place, district, message) => {
    const mapped = mapRole(role({ type, jurisdiction: government(place), district }));
    expect(mapped).toEqual({ problem: expect.stringMatching(message) });
  });

  test('with dates that include the day, and without a past end', () => {
    const term = (overrides: Partial<RoleInOffice>) => {
      const mapped = mapRole(role(overrides));
      return 'seat' in mapped ? [mapped.seat.term_start, mapped.seat.term_end] : mapped;
    };
    expect(term({ start: '2023-01-02', end: '2027-01-04' })).toEqual(['2023-01-02', '2027-01-04']);
    expect(term({ start: '2023', end: '2027-01' })).toEqual([null, null]);
    expect(term({ start: '2023-01-02', end: '2025-01-04', overdue: true })).toEqual(['2023-01-02', null]);
  });
});

test('seats are listed once, the highest first, with the latest term', () => {
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

test('seats of one level come in the order of the interface, from any order', () => {
  const given = [
    seat({ office: 'state_representative', district: '2' }),
    seat({ office: 'state_representative', district: '1' }),
    seat({ office: 'state_senator', district: '1' }),
    seat({ office: 'governor' }),
  ];
  const expected = ['governor', 'state_senator 1', 'state_representative 1', 'state_representative 2'];
  for (const seats of [given, given.toReversed()]) {
    const names = orderSeats(seats).map(({ office, district }) =>
      office === 'governor' ? office : `${office} ${district}`,
    );
    expect(names).toEqual(expected);
  }
});

test('of two terms in a seat that begin on the same day, the first in the list counts', () => {
  const terms = ['2027-01-01', '2029-01-01'].map((term_end) => seat({ term_start: '2023-01-01', term_end }));
  expect(orderSeats(terms)).toEqual([terms[0]]);
});

test.each([
  ['governor', true],
  [' State  Treasurer ', true],
  ['auditor_general', true],
  ['upper', false],
  ['mayor', false],
])('whether the role %j belongs to the executive: %s', (type, expected) => {
  expect(isExecutive(type)).toBe(expected);
});

test.each([
  ['governor', true],
  ['auditor', true],
  ['state_senator', false],
  ['us_senator', false],
] as const)('whether the office %s has one holder at a time: %s', (office, expected) => {
  expect(hasOneHolder(office)).toBe(expected);
});

test('a term without a beginning counts only if the seat has no other', () => {
  const terms = [seat({ term_start: null }), seat({ term_start: '2021-01-01' })];
  for (const seats of [terms, terms.toReversed()]) {
    expect(orderSeats(seats).map(({ term_start }) => term_start)).toEqual(['2021-01-01']);
  }
  expect(orderSeats(terms.slice(0, 1))).toEqual(terms.slice(0, 1));
});

test.each([
  ['the nation', government(''), { state: null, division: division('') }],
  ['a state', government('/state:or'), { state: 'OR', division: division('/state:or') }],
  ['a territory', government('/territory:gu'), { state: 'GU', division: division('/territory:gu') }],
  ['a county', government('/state:or/county:lane'), null],
  ['an id with more before it', `x${government('/state:or')}`, null],
  ['an id with more after it', `${government('/state:or')}/x`, null],
])('the jurisdiction of %s', (_name, id, expected) => {
  expect(readJurisdiction(id)).toEqual(expected);
});
