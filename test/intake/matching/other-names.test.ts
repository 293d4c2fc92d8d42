/** Contests and tickets under other names than those of the ballot. */
import { describe, expect, test } from '@jest/globals';
import { type ElectionIndex, indexElection } from '../../../intake/matching/catalogue-index.ts';
import { matchRow } from '../../../intake/matching/match-row.ts';
import { createContestFinder } from '../../../intake/matching/row-contests.ts';
import type { RowNames } from '../../../intake/matching/row-names.ts';
import { choice, contest, election } from '../../helpers/ballots/matcher-entries.ts';

/** The key of the choice that a row means, the grade, and the reasons. */
function matchIn(
  index: ElectionIndex,
  contestText: string,
  choiceText: string,
  more: Partial<RowNames> = {},
): [string | undefined, string, string] {
  const names = { contest: contestText, choice: choiceText };
  const row = { ...names, ...{ district: null, party: null, position: undefined }, ...more };
  const found = matchRow(index, row, () => null, createContestFinder(index));
  return [found.choice?.key, found.grade, found.reasons.join('; ')];
}

describe('the short name of a district', () => {
  const indiana = { ...election, slug: 'in-2026-11-03-general', state: 'IN', state_name: 'Indiana' };
  const districts = indexElection(indiana, [
    contest('house-9', 'U.S. House, District 9', [choice('watson', 'Liz Watson')]),
    contest('house-al', 'U.S. House Indiana At-large District', [choice('paige', 'Ed Paige')]),
    contest('senate', 'United States Senator', [choice('bald', 'Tam Bald')]),
    contest('council-8', 'City Council, District 8', [choice('fox', 'Vic Fox')]),
    contest('council-al', 'City Council, At-large', [choice('low', 'Sam Low')]),
  ]);
  test.each([
    ['IN-9', 'Liz Watson', 'watson', 'exact'],
    ['IN-09', 'Liz Watson', 'watson', 'exact'],
    ['IN-AL', 'Ed Paige', 'paige', 'exact'],
    ['IN-SEN', 'Tam Bald', 'bald', 'exact'],
    ['Sen', 'Tam Bald', 'bald', 'close'],
    ['IN At-Large', 'Ed Paige', 'paige', 'exact'],
    ['Congress (at large)', 'Ed Paige', 'paige', 'exact'],
    // In some cities, such a name means the council.
    ['CD 8', 'Vic Fox', 'fox', 'close'],
    ['At-large', 'Sam Low', 'low', 'close'],
    ['9', 'Liz Watson', 'watson', 'close'],
    ['LD 9', 'Liz Watson', 'watson', 'close'],
    ['HD 9', 'Liz Watson', 'watson', 'close'],
  ])('%j, %j', (contestText, choiceText, key, grade) => {
    expect(matchIn(districts, contestText, choiceText).slice(0, 2)).toEqual([key, grade]);
  });
});

describe('the only seat of a state in the U.S. House', () => {
  const wyoming = { ...election, slug: 'wy-2026-11-03-general', state: 'WY', state_name: 'Wyoming' };
  test.each(['United States Representative', 'U.S. House At-Large', 'Representative in Congress, at large'])(
    'called %j has other names with and without "at large"',
    (title) => {
      const index = indexElection(wyoming, [
        contest('seat', title, [choice('paige', 'Ed Paige')], {
          district: { ocd_id: null, name: 'Wyoming' },
        }),
        contest('council', 'City Council, At-large', [choice('low', 'Sam Low')]),
      ]);
      for (const name of ['U.S. House', 'Congress', 'US House at-large', 'WY-AL']) {
        expect([name, ...matchIn(index, name, 'Ed Paige')]).toEqual([name, 'paige', 'exact', '']);
      }
      expect(matchIn(index, 'City Council', 'Sam Low').slice(0, 2)).toEqual(['low', 'close']);
      expect(matchIn(index, 'U.S. House, District 1', 'Ed Paige')[1]).not.toBe('exact');
    },
  );
});

describe('a contest under another name', () => {
  const index = indexElection(election, [
    contest('council-2', 'Member, City Council, 2nd District', [choice('oneil', "Mary O'Neil-García")]),
    contest('water-6', 'Water Board, District 6', [choice('poe-1', 'Ann B. Poe'), choice('key', 'Vic Ray')]),
    contest('fire-6', 'Fire Board, District 6', [choice('poe-2', 'Ann B. Poe')]),
    contest('parks', 'Parks Trustee', [choice('low', 'Sam Low')]),
  ]);
  const isCalled = (title: string) => `contest: it is called "${title}", and the choice is right`;

  test.each<[string, string, string, string, Partial<RowNames>]>([
    ['Town Hall D2', 'Mary ONeil Garcia', 'oneil', 'Member, City Council, 2nd District', {}],
    ['Town Hall', 'Garcia, Mary ONeil', 'oneil', 'Member, City Council, 2nd District', { district: '2' }],
    ['Garden Trustee', 'Sam Low', 'low', 'Parks Trustee', {}],
    ['Garden Trustee', 'Sam Low', 'low', 'Parks Trustee', { position: 'Yes' }],
  ])(
    'is probably the only similar one with the choice: %j, %j',
    (contestText, choiceText, key, title, more) => {
      expect(matchIn(index, contestText, choiceText, more)).toEqual([key, 'close', isCalled(title)]);
    },
  );

  test.each([
    ['no word in common', 'Gardens', 'Sam Low'],
    ['another number', 'Town Hall D3', 'Mary ONeil Garcia'],
    ['another chamber', 'State Senate, District 2', 'Mary ONeil Garcia'],
    ['a similar name', 'Town Hall D2', 'Mary Garcia'],
    ['a last name', 'Garden Trustee', 'Low'],
    ['a key', 'Town Hall D6', 'key'],
    ['two such contests', 'Town Hall D6', 'Ann B. Poe'],
  ])('is not proposed from %s: %j, %j', (_, contestText, choiceText) => {
    expect(matchIn(index, contestText, choiceText).slice(0, 2)).toEqual([undefined, 'none']);
  });
});

test.each([
  [200, 'close'],
  [201, 'none'],
])('of %i similar contests, the one with the choice is %s', (count, grade) => {
  const contests = Array.from({ length: count }, (_, at) =>
    contest(`board-${at}`, `Levee Board ${'x'.repeat(at + 1)}`, [choice('poe', `Ann Poe${'x'.repeat(at)}`)]),
  );
  const many = indexElection(election, contests);
  expect(matchIn(many, 'Dike Board', 'Ann Poe')[1]).toBe(grade);
});

describe('a ticket', () => {
  const tickets = indexElection(election, [
    contest('president', 'President and Vice President', [
      choice('lee', 'Ann B. Lee and Bo Diaz', { party: 'Democratic' }),
      choice('roe', 'Al Roe Sr. / Tim Gray-Poe'),
      choice('fox', 'Vic Fox, Sam Low'),
      choice('la-riva', 'Gloria Estela La Riva & Dennis J. Banks'),
      choice('solo', 'Una Solo'),
    ]),
  ]);
  const find = (contestText: string, choiceText: string) => {
    const [key, grade, reasons] = matchIn(tickets, contestText, choiceText);
    return reasons === '' ? [key, grade] : [key, grade, reasons.replace('choice: ', '')];
  };

  test.each([
    ['Ann B. Lee', 'lee'],
    ['Ann Lee (D)', 'lee'],
    ['Lee, Ann', 'lee'],
    ['Lee', 'lee'],
    ['Roe', 'roe'],
    ['Al Roe', 'roe'],
    ['Vic Fox', 'fox'],
    ['Gloria La Riva', 'la-riva'],
  ])('is probably meant by its top alone: %j', (text, key) => {
    expect(find('President', text)).toEqual([key, 'close', 'the running mate is missing']);
  });

  test.each([
    ['Ann Lee/Bo Diaz', 'lee'],
    ['Lee-Diaz', 'lee'],
    ['Lee – Diaz', 'lee'],
    ['Lee & Diaz', 'lee'],
    ['Ann Lee, Bo Diaz', 'lee'],
    ['Lee, Ann; Diaz, Bo', 'lee'],
    ['Al Roe and Tim Gray Poe', 'roe'],
    ['Fox + Low', 'fox'],
  ])('is probably meant by all its people: %j', (text, key) => {
    expect(find('President', text)).toEqual([
      key,
      'close',
      'the names of the ticket are written differently',
    ]);
  });

  test.each([
    ['Bo Diaz', 'none'],
    ['Bo Diaz / Ann Lee', 'ambiguous'],
    ['Ann Lee, Sam Low', 'ambiguous'],
    ['Ann Lee, Bo Diaz, Al Roe', 'ambiguous'],
    ['Una Solo and Bo Diaz', 'ambiguous'],
    ['Lee, Fox', 'none'],
    ['Al Roe Jr.', 'none'],
  ])('is not meant by others: %j', (text, grade) => {
    expect(find('President', text).slice(0, 2)).toEqual([undefined, grade]);
  });

  test('is exact by its whole name', () => {
    expect(find('U.S. President', 'Ann B. Lee & Bo Diaz')).toEqual(['lee', 'exact']);
    expect(find('President', 'Al Roe Sr. / Tim Gray-Poe')).toEqual(['roe', 'exact']);
  });

  test.each([
    'President',
    'US President/VP',
    'President & Vice-President of the United States',
    'Presidential Electors',
    'Electors for President and Vice President',
    'Pres. and V.P.',
  ])('for president is the contest %j', (text) => {
    expect(find(text, 'Una Solo')).toEqual(['solo', 'exact']);
  });

  test('for president is not the contest of a board', () => {
    expect(find('Board President', 'Una Solo')[1]).toBe('close');
    expect(find('President of the City Council', 'Una Solo')[1]).toBe('close');
  });
});
