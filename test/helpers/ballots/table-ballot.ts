import { type CatalogueLine, lines, SMALL_BALLOT } from './catalogue.ts';
import { choice, contest, endorser } from './catalogue-records.ts';

const person = (key: string, name: string, more = {}) =>
  choice(key, { label: name, candidate: { full_name: name }, ...more });

const district = (number: number) => ({
  ocd_id: `ocd-division/country:us/state:or/sldu:${number}`,
  ...{ name: `Oregon Senate District ${number}`, level: 'state', type: 'senate_district', state: 'OR' },
});

/** A ballot with names as tables have them: nicknames, two people of one name, districts and a measure. */
export const TABLE_BALLOT: CatalogueLine[] = [
  ...SMALL_BALLOT,
  ['endorsers', endorser({ slug: 'sierra-club', name: 'Sierra Club' })],
  ...lines('contests', [
    contest('governor', {
      title: 'Governor of Oregon',
      short_title: 'Governor',
      choices: [person('kotek', 'Tina Kotek', { party: 'Democratic' }), person('drazan', 'Christine Drazan')],
    }),
    contest('senate-4', {
      title: 'State Senator, 4th District',
      short_title: 'State Senate 4',
      district: district(4),
      choices: [person('smith', 'Robert J. Smith'), person('nunez', 'José Núñez')],
    }),
    contest('senate-5', {
      title: 'State Senator, 5th District',
      short_title: 'State Senate 5',
      district: district(5),
      choices: [person('smith-sr', 'John Smith Sr.'), person('smith-jr', 'John Smith Jr.')],
    }),
    contest('measure-110', {
      ...{
        title: 'Measure 110: Drug treatment',
        short_title: 'Measure 110',
        kind: 'measure',
        measure_code: '110',
      },
      vote_method: 'yes_no',
      choices: ['yes', 'no'].map((key) => choice(key, { label: key, measure_answer: key, candidate: null })),
    }),
  ]),
];
