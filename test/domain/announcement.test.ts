import { expect, test } from '@jest/globals';
import { announceStale } from '../../domain/announcement.ts';
import type { ChangeBody } from '../../schemas/change.ts';

const BODY: ChangeBody = {
  endorsement: { id: 7, rank: null, statement: 'Yes.', source_url: null, published_on: null },
  endorser: {
    id: 1,
    slug: 'gazette',
    name: 'Gazette',
    category: { slug: 'newspaper', name: 'Newspaper' },
    state: 'OR',
  },
  contest: {
    id: 2,
    title: 'Mayor of Fernville',
    short_title: 'Mayor',
    kind: 'candidate',
    vote_method: 'plurality',
    votes_allowed: 1,
    ranks_allowed: null,
    measure_code: null,
    district: { id: 3, name: 'Fernville', level: 'city', ocd_id: null, state: 'OR' },
  },
  election: { id: 4, slug: 'or-2026', name: 'General', date: '2026-11-03', state: 'OR', type: 'general' },
  choice: {
    id: 5,
    label: 'Ann',
    measure_answer: null,
    candidate: { id: 6, full_name: 'Ann' },
    party: null,
    withdrawn: false,
  },
};
const { endorser, contest, election, choice } = BODY;

/** Values that no filter looks at. */
const PLAIN: [string, Partial<ChangeBody>][] = [
  ["an endorser's name", { endorser: { ...endorser, name: 'Daily Gazette' } }],
  ["a category's name", { endorser: { ...endorser, category: { slug: 'newspaper', name: 'Press' } } }],
  ["a contest's title", { contest: { ...contest, title: 'Mayor' } }],
  ["a contest's number of votes", { contest: { ...contest, votes_allowed: 2 } }],
  ["a district's name", { contest: { ...contest, district: { ...contest.district, name: 'Fern' } } }],
  ["an election's date", { election: { ...election, date: '2026-11-10' } }],
  ["an election's type", { election: { ...election, type: 'runoff' } }],
  ["a choice's label", { choice: { ...choice, label: 'Ann A.' } }],
  ["a candidate's name", { choice: { ...choice, candidate: { id: 6, full_name: 'Ann A.' } } }],
  ['a withdrawn mark', { choice: { ...choice, withdrawn: true } }],
];

/** Values that filters look at. */
const FILTERED: [string, Partial<ChangeBody>][] = [
  ["an endorser's category", { endorser: { ...endorser, category: { slug: 'labor', name: 'Labor' } } }],
  ["an endorser's state", { endorser: { ...endorser, state: 'national' } }],
  ["an election's state", { election: { ...election, state: 'CA' } }],
  ["a contest's kind", { contest: { ...contest, kind: 'retention' } }],
  ["a district's level", { contest: { ...contest, district: { ...contest.district, level: 'county' } } }],
];

test.each(PLAIN)('INV-13: %s that changed is an update with the new values', (_name, values) => {
  const current = { ...BODY, ...values };
  expect(announceStale({ announced: BODY, current, isRemoved: false })).toEqual([
    { type: 'updated', body: current },
  ]);
});

test.each(FILTERED)(
  'INV-13: %s that changed is a deletion with the old values, then a creation',
  (_name, values) => {
    const current = { ...BODY, ...values };
    expect(announceStale({ announced: BODY, current, isRemoved: false })).toEqual([
      { type: 'deleted', body: BODY },
      { type: 'created', body: current },
    ]);
  },
);

test('values that are as they were announced make no event', () => {
  expect(announceStale({ announced: BODY, current: JSON.parse(JSON.stringify(BODY)), isRemoved: false })).toEqual([]);
});

test('what was removed is a deletion with the values that were announced, whatever changed beside', () => {
  const current = { ...BODY, election: { ...election, name: 'Renamed' } };
  expect(announceStale({ announced: BODY, current, isRemoved: true })).toEqual([
    { type: 'deleted', body: BODY },
  ]);
});
