import { describe, expect, test } from '@jest/globals';
import { parseCatalogueRecord } from '../../../schemas/catalogue-files.ts';
import { mapText } from '../../helpers/feeds/map-text.ts';
import { BALLOT, writeFeed } from '../../helpers/feeds/vip-feed.ts';

describe('a feed becomes records of the catalogue', () => {
  test.each(['5.1', '5.1.2', '5.2', '6.0'])('of version %s', async (version) => {
    const { records } = await mapText(writeFeed(BALLOT, { version }));
    for (const { kind, record, problems } of records) {
      expect(problems).toEqual([]);
      expect(parseCatalogueRecord(kind, record)).toMatchObject({ ok: true });
    }
    expect(records[0]?.record).toMatchObject({
      slug: 'va-2026-11-03-general',
      name: 'General Election',
      name_es: 'Elección general',
      date: '2026-11-03',
      state: 'VA',
      type: 'general',
    });
    expect(records.slice(1).map(({ record }) => record)).toMatchObject([
      {
        slug: 'president',
        kind: 'candidate',
        vote_method: 'plurality',
        votes_allowed: 1,
        ballot_order: 1,
        district: {
          ocd_id: 'ocd-division/country:us/state:va',
          level: 'federal',
          type: 'statewide',
          state: 'VA',
        },
        choices: [
          {
            key: 'cy-ng-di-roe',
            label: 'Cy Ng / Di Roe',
            candidate: { full_name: 'Cy Ng / Di Roe' },
            party: 'Democratic',
          },
        ],
      },
      {
        slug: 'mayor-ward-rio',
        vote_method: 'ranked_choice',
        votes_allowed: 1,
        district: { name: 'Rio', level: 'city', type: 'ward' },
        choices: [
          {
            key: 'ann-lee',
            candidate: { full_name: 'Ann Lee', key: 'ann-lee' },
            party: 'Democratic',
            party_label: null,
            withdrawn: false,
            details: { incumbent: true },
          },
          {
            key: 'ann-lee-working-families',
            candidate: { full_name: 'Ann Lee', key: 'ann-lee' },
            party: 'Working Families',
            party_label: 'Working Families',
          },
          { key: 'bob-diaz', candidate: { full_name: 'Bob Diaz' }, party: null, withdrawn: true },
        ],
      },
      {
        slug: 'school-board-ward-rio',
        vote_method: 'multi_seat',
        votes_allowed: 2,
        choices: [{ key: 'gil-rey' }, { key: 'flo-poe' }],
      },
      {
        slug: 'question-1-sldl-57',
        title: 'Parks bonds',
        title_es: 'Bonos para parques',
        short_title: 'Question 1',
        description: 'Shall we?',
        description_es: '¿Debemos?',
        kind: 'measure',
        vote_method: 'yes_no',
        measure_code: 'Q1',
        source_url: null,
        district: { ocd_id: 'ocd-division/country:us/state:va/sldl:57', level: 'state', type: 'state_lower' },
        choices: [
          { key: 'yes', label: 'Yes', label_es: 'Sí', measure_answer: 'yes' },
          { key: 'no', label: 'No', measure_answer: 'no' },
        ],
      },
      {
        slug: 'retention-hal-sun',
        title: 'Retention: Hal Sun',
        kind: 'retention',
        vote_method: 'yes_no',
        choices: [{ key: 'yes' }, { key: 'no' }],
      },
    ]);
  });

  test('and parts without a place are counted by name', async () => {
    const { notes } = await mapText(writeFeed(BALLOT));
    const leftOut = notes.all.filter(({ kind }) => kind === 'left out');
    expect(Object.fromEntries(leftOut.map(({ message, count }) => [message, count]))).toEqual({
      'contests of parties': 1,
      'ballot styles': 1,
      'polling places': 1,
      'lines for write-ins': 1,
      'addresses of measures that do not begin with http:// or https://': 1,
    });
  });
});
