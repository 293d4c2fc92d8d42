import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { markingOf, readPosition, writePosition } from '../../../gateway/console/publishing/position-form.ts';
import type { SubmittedPick } from '../../../schemas/submission.ts';
import type { OwnPosition } from '../../../store/console/own-positions.ts';
import { pick } from '../../helpers/ballots/submissions.ts';
import { nullable, webUrl } from '../../helpers/properties/arbitraries.ts';

const NOW = Date.parse('2026-11-01T00:00:00Z');
const KEYS = ['ann', 'bob', 'cyd'];

const positionWith = (fields: Partial<OwnPosition> = {}): OwnPosition => ({
  ...{ id: 1, key: 'or-2026-11-03-general/mayor', title: 'Mayor', description: null, district: 'Fernville' },
  ...{ election: 'or-2026-11-03-general', electionName: 'Oregon', date: '2026-11-03' },
  ...{ vote_method: 'plurality', ranks_allowed: null, mostMarked: 1, picks: [] },
  ...{ title_es: null, description_es: null, sequence: 1, isChanged: false },
  choices: KEYS.map((key, contender) => ({
    ...{ key, label: key.toUpperCase(), label_es: null, party: null, party_es: null },
    ...{ withdrawn: false, contender, candidate: null },
  })),
  ...fields,
});

const read = (form: Record<string, string> | URLSearchParams, position = positionWith()) =>
  readPosition(new URLSearchParams(form), position, { endorser: 'bakers-local-1', now: NOW });

const text = fc.option(fc.stringMatching(/^[a-z]{1,8}$/), { nil: null });
const picks: fc.Arbitrary<SubmittedPick[]> = fc.subarray(KEYS).chain((chosen) =>
  fc.tuple(
    ...chosen.map((choice) =>
      fc.record({
        choice: fc.constant(choice),
        rank: fc.constant(null),
        statement: text,
        statement_es: text,
        source_url: nullable(webUrl),
        published_on: fc.constantFrom(null, '2026-10-01'),
        details: fc.constantFrom(null, '{"page":3,"share":1.50}'),
      }),
    ),
  ),
);

describe('a form', () => {
  test('that shows a position and is sent unchanged keeps it, with what the form does not show', () => {
    fc.assert(
      fc.property(picks, fc.boolean(), (held, isRanked) => {
        const ranked = held.map((each, index) => ({
          ...each,
          rank: isRanked && index < 2 ? index + 1 : null,
        }));
        const position = positionWith({
          vote_method: isRanked ? 'ranked_choice' : 'multi_seat',
          picks: ranked,
        });
        const form = writePosition(position);
        expect(readPosition(form, position, { endorser: 'a', now: NOW })).toEqual({
          picks: ranked,
          problems: [],
        });
      }),
    );
  });

  test('counts texts only beside marked choices, and names marked choices that the contest lacks', () => {
    expect(read({ choice: 'bob', 'statement:bob': ' Good. ', 'statement:ann': 'Bad.' }).picks).toEqual([
      pick('bob', { statement: 'Good.' }),
    ]);
    const lost = ['The position has choices that the contest no longer has: "eve".'];
    expect(read({ choice: 'eve' })).toEqual({ picks: [], problems: lost });
    const ranked = positionWith({ vote_method: 'ranked_choice' });
    expect(read({ 'rank:bob': '1', 'rank:eve': '2', 'rank:fay': ' ' }, ranked).problems).toEqual(lost);
  });

  test('ranks choices by their numbers, and names them in problems', () => {
    const ranked = positionWith({ vote_method: 'ranked_choice', ranks_allowed: 2 });
    expect(read({ 'rank:bob': '1', 'rank:ann': '2', 'rank:cyd': ' ' }, ranked).picks).toEqual([
      pick('ann', { rank: 2 }),
      pick('bob', { rank: 1 }),
    ]);
    const { problems } = read({ 'rank:ann': '1', 'rank:bob': '1', 'rank:cyd': 'x' }, ranked);
    expect(problems).toEqual([expect.stringMatching(/^CYD: rank must /)]);
    // A contest that has no ranks any more.
    expect(read({ choice: 'ann', 'rank:ann': '1' }).picks).toEqual([pick('ann')]);
    expect(read({ 'rank:ann': '1', 'rank:bob': '1' }, ranked).problems).toEqual([
      'BOB: rank must be unique in the position, is 1 as in ANN.',
    ]);
  });

  test.each([
    ['a source without an address', { 'source_url:ann': 'page 3' }, 'ANN: address of the source'],
    ['a date that does not exist', { 'published_on:ann': '2026-02-30' }, 'ANN: date of publication'],
    ['a date after tomorrow', { 'published_on:ann': '2026-11-03' }, 'ANN: date of publication'],
  ])('with %s has a problem', (_what, fields, field) => {
    const { problems } = read({ choice: 'ann', ...fields });
    expect(problems).toEqual([expect.stringMatching(`^${field} must `)]);
  });
});

test('one choice is marked in a contest for one, unless the endorser has several', () => {
  expect(markingOf(positionWith())).toBe('one');
  expect(markingOf(positionWith({ picks: [pick('ann'), pick('bob')] }))).toBe('some');
  expect(markingOf(positionWith({ vote_method: 'yes_no' }))).toBe('one');
  expect(markingOf(positionWith({ vote_method: 'approval' }))).toBe('some');
  expect(markingOf(positionWith({ vote_method: 'ranked_choice' }))).toBe('ranks');
});
