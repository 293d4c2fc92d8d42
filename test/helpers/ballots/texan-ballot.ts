import { expect } from '@jest/globals';
import { type CatalogueLine, lines } from './catalogue.ts';
import { choice, contest, election, endorser } from './catalogue-records.ts';

/**
 * A ballot with a contest of every level, in another order than that of lists, and with texts that are hard to encode.
 */

const TEXAS = 'tx-2026-11-02-special';
export const TEXT = '«¿Sí?» "100 %" \\o/ 日本 \u{1f5f3}\n\nIts end.';

export const district = (level: string, name: string, ocd_id: string | null = null) => ({
  ocd_id,
  name,
  level,
  type: 'place',
  state: 'TX',
});

/** A contest of Texas. */
export const texan = (slug: string, ballot_order: number, place: object, values = {}) =>
  contest(slug, { election: TEXAS, ballot_order, district: place, ...values });

const NATION = {
  ocd_id: 'ocd-division/country:us',
  name: 'United States',
  level: 'federal',
  type: 'nation',
  state: null,
};

/** The contests, as records of a file. */
export const TEXANS = [
  texan('trustee', 1, district('school', 'Fern ISD')),
  texan('alderman', 2, district('city', 'Fern')),
  texan('water', 3, district('special', 'Fern MUD')),
  texan('judge', 4, district('county', 'Fern County', 'ocd-division/country:us/state:tx/county:fern')),
  texan('tax', 5, district('state', 'Texas', 'ocd-division/country:us/state:tx'), {
    kind: 'measure',
    vote_method: 'yes_no',
    votes_allowed: null,
    choices: [
      choice('yes', { measure_answer: 'yes', candidate: null }),
      choice('no', { measure_answer: 'no', candidate: null }),
    ],
  }),
  texan('president', 6, NATION, {
    title_es: 'Presidente',
    description: TEXT,
    source_url: 'https://tx.example/ballot',
    details: { term: '4 years', uncontested: null },
    choices: [
      choice('zoe', {
        label: 'Zoë',
        label_es: 'Zoé',
        party: 'Green',
        party_label: 'GRN',
        party_label_es: 'VRD',
        ballot_designation: 'Teacher',
        withdrawn: true,
      }),
      choice('none', { label: 'None of these', candidate: null, option: 'none_of_these' }),
    ],
  }),
];

/** Only the contests, as in a later import. */
export const LATER_TEXANS: CatalogueLine[] = lines('contests', TEXANS);

/** The ballot, with a contest and a choice that a later import lacks, and with choices in the opposite order. */
export const TEXAN_BALLOT: CatalogueLine[] = [
  ...lines('elections', [
    election({ slug: TEXAS, name: 'Texas special 2026', state: 'TX', date: '2026-11-02', type: 'special' }),
  ]),
  ...lines('contests', [
    ...TEXANS.map((record) => ({
      ...record,
      choices: [...(record.choices as object[]), choice('gone')].toReversed(),
    })),
    texan('removed', 1, NATION),
  ]),
  ['endorsers', endorser({ slug: 'abc', name: 'A B C', category: 'newspaper', state: 'TX' })],
];

/** The contest with that name, as clients see it. */
export const PRESIDENT = {
  id: expect.any(Number),
  title: 'Title of president',
  short_title: 'president',
  description: TEXT,
  kind: 'candidate',
  vote_method: 'plurality',
  votes_allowed: 1,
  ranks_allowed: null,
  measure_code: null,
  ballot_order: 6,
  source_url: 'https://tx.example/ballot',
  district: { id: expect.any(Number), ...NATION },
  election: {
    id: expect.any(Number),
    slug: TEXAS,
    name: 'Texas special 2026',
    date: '2026-11-02',
    state: 'TX',
    type: 'special',
  },
  choices: [
    {
      id: expect.any(Number),
      label: 'Zoë',
      measure_answer: null,
      candidate: { id: expect.any(Number), full_name: 'zoe' },
      party: 'Green',
      party_label: 'GRN',
      withdrawn: true,
      ballot_designation: 'Teacher',
    },
    {
      id: expect.any(Number),
      label: 'None of these',
      measure_answer: null,
      candidate: null,
      party: null,
      option: 'none_of_these',
      withdrawn: false,
      ballot_designation: null,
    },
  ],
  details: { term: '4 years', source_url: 'https://tx.example/ballot' },
};
