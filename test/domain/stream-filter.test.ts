import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChangeFacets,
  createPredicate,
  facetsOf,
  type StreamFilter,
} from '../../domain/stream-filter.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import { FILTER_FIELDS } from '../../schemas/vocabulary.ts';
import { facets, filter } from '../helpers/properties/filter-arbitraries.ts';

/** The rule of the specification, word for word: AND between fields, OR within a field, all values of an absent field. */
function matchesBySpecification(wanted: StreamFilter, has: ChangeFacets): boolean {
  for (const field of FILTER_FIELDS) {
    const accepted = wanted[field];
    if (accepted === undefined) continue;
    let found = false;
    for (const value of accepted) if (value === has[field]) found = true;
    if (!found) return false;
  }
  return true;
}

test('every filter matches as specified', () => {
  fc.assert(
    fc.property(filter, facets, (wanted, has) => {
      expect(createPredicate(wanted)(has)).toBe(matchesBySpecification(wanted, has));
    }),
    { numRuns: 2000 },
  );
});

test('every value for filters is found in the body', () => {
  // A body whose values are their own paths.
  const text = (...path: string[]) => path.join('.');
  const body = {
    endorser: {
      slug: text('endorser', 'slug'),
      category: { slug: text('endorser', 'category', 'slug') },
      state: text('endorser', 'state'),
    },
    contest: {
      kind: text('contest', 'kind'),
      district: { level: text('contest', 'district', 'level') },
    },
    election: { slug: text('election', 'slug'), state: text('election', 'state') },
  } as unknown as ChangeBody;
  expect(facetsOf('updated', body)).toEqual({
    categories: 'endorser.category.slug',
    endorsers: 'endorser.slug',
    endorser_states: 'endorser.state',
    states: 'election.state',
    elections: 'election.slug',
    contest_kinds: 'contest.kind',
    levels: 'contest.district.level',
    types: 'updated',
  });
});

const CHANGE: ChangeFacets = {
  categories: 'labor',
  endorsers: 'bakers',
  endorser_states: 'national',
  states: 'OR',
  elections: 'or-2026-11-03-general',
  contest_kinds: 'candidate',
  levels: 'city',
  types: 'created',
};

test.each<[string, StreamFilter, boolean]>([
  ['no field matches everything', {}, true],
  ['one field', { states: ['OR'] }, true],
  ['another value', { states: ['CA'] }, false],
  ['values of a field combine with OR', { states: ['CA', 'OR'] }, true],
  ['fields combine with AND', { states: ['OR'], levels: ['city'] }, true],
  ['one field of two fails', { states: ['OR'], levels: ['state'] }, false],
  ['the state is that of the contest, not of the endorser', { states: ['national'] }, false],
  ['values are case-sensitive', { states: ['or'] }, false],
  ['a field without values matches nothing', { states: [] }, false],
])('%s', (_, wanted, expected) => expect(createPredicate(wanted)(CHANGE)).toBe(expected));

test('later changes of a filter’s lists do not affect its predicate', () => {
  const states = ['OR'];
  const matches = createPredicate({ states });
  states[0] = 'CA';
  expect(matches(CHANGE)).toBe(true);
});
