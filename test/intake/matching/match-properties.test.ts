/** Rules for all names: the matcher never takes one person for another, and looks at letters and numbers only. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ContestEntry, indexElection } from '../../../intake/matching/catalogue-index.ts';
import { matchRow } from '../../../intake/matching/match-row.ts';
import { createContestFinder } from '../../../intake/matching/row-contests.ts';
import type { RowNames } from '../../../intake/matching/row-names.ts';
import { choice, contest, election } from '../../helpers/ballots/matcher-entries.ts';

// Few words, so that people often share names.
const given = fc.constantFrom(
  'Ann',
  'Anne',
  'Bill',
  'William',
  'José',
  'Jose',
  'J.',
  'Mary Ann',
  'Maryann',
  'Dr. Ann',
);
const middle = fc.constantFrom('', '', 'A.', 'B.', 'Lee', '"Bo"', '"Jo"');
const last = fc.constantFrom(
  'Lee',
  'Smith',
  'de León',
  "O'Neil",
  'Oneil',
  'St. Marks',
  "St. Mark's",
  'Lee-Smith',
);
const end = fc.constantFrom('', '', '', ' Jr.', ', Sr.', ' III', ' (Albany)', ' (Queens)', ', Esq.', ' (D)');
const name = fc
  .tuple(given, middle, last, end)
  .map(
    ([first, between, family, mark]) =>
      `${[first, between, family].filter((part) => part !== '').join(' ')}${mark}`,
  );
const party = fc.constantFrom(null, 'Democratic', 'Green', 'Working Families');

const person = fc.record({ name, party });
type Person = { name: string; party: string | null };

function createContests(contests: Person[][]): ContestEntry[] {
  return contests.map((people, number) =>
    contest(
      `seat-${number}`,
      `City Council, District ${number + 1}`,
      people.map((each, at) =>
        choice(`key-${at}`, each.name, { candidate: `person-${at}`, party: each.party }),
      ),
      {
        short_title: `Council ${number + 1}`,
        district: { ocd_id: null, name: `Council District ${number + 1}` },
      },
    ),
  );
}

const people = fc.array(person, { minLength: 1, maxLength: 5 });
const ballot = fc.array(people, { minLength: 1, maxLength: 3 });

function match(contests: ContestEntry[], row: Partial<RowNames>) {
  const index = indexElection(election, contests);
  const whole = { contest: null, district: null, choice: null, party: null, position: undefined, ...row };
  const { grade, contest, choice } = matchRow(index, whole, () => null, createContestFinder(index));
  return { grade, contest: contest?.key ?? null, choice: choice?.key ?? null };
}

const bare = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}|\([^)]*\)|"[^"]*"|\b(Dr|Jr|Sr|III|Esq)\b/gu, '')
    .toLowerCase()
    .replace(/[^a-z]/g, '');

test('an exact match has the same letters, and nobody else who fits has them', () => {
  fc.assert(
    fc.property(ballot, fc.nat(2), name, party, (given_, number, text, wanted) => {
      const contests = createContests(given_);
      const found = match(contests, { contest: `Council ${number + 1}`, choice: text, party: wanted });
      if (found.grade !== 'exact') return;
      expect(found.contest).toBe(`${election.slug}/seat-${number}`);
      const all = given_[number] ?? [];
      const chosen = all[Number(found.choice?.slice(4))] as Person;
      expect(bare(chosen.name)).toBe(bare(text));
      // Another person of these letters differs in a mark or a party that the row has.
      for (const other of all) {
        if (other === chosen || bare(other.name) !== bare(text)) continue;
        const isMarked = /Jr|Sr|III|\(|"|,/.test(text) || wanted !== null || chosen.name === text;
        expect({ isMarked, other, chosen, text }).toMatchObject({ isMarked: true });
      }
    }),
    { numRuns: 500 },
  );
});

test('two people of the same name and party are never told apart', () => {
  fc.assert(
    fc.property(people, person, fc.nat(5), fc.constantFrom('Jr.', 'Sr.', 'III'), (others, twin, at, mark) => {
      const first = {
        ...twin,
        name: twin.name.replace(/ (Jr\.|III)|, Sr\.| \((Albany|Queens)\)|, Esq\./, ''),
      };
      const second = { ...first, name: `${first.name.replace(/ \(D\)/, '')} ${mark}` };
      const all = [...others.slice(0, at), first, ...others.slice(at), second];
      const { grade, choice } = match(createContests([all]), { contest: 'Council 1', choice: second.name });
      if (grade === 'exact') expect(all[Number(choice?.slice(4))]?.name).toContain(mark.replace('.', ''));
      expect(
        match(createContests([[first, first]]), { contest: 'Council 1', choice: first.name }).grade,
      ).toBe('ambiguous');
      const unmarked = match(createContests([[first, second]]), { contest: 'Council 1', choice: first.name });
      expect(unmarked.grade).toBe('ambiguous');
    }),
    { numRuns: 300 },
  );
});

test('the order of contests and choices, case, accents, punctuation and spaces change nothing', () => {
  const disguise = fc.constantFrom<(text: string) => string>(
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text.normalize('NFD').replace(/\p{M}/gu, ''),
    (text) => ` ${text.replaceAll(' ', '  ')} `,
    (text) => text.replaceAll("'", '’'),
    (text) => text.replace(/-/g, ' '),
  );
  fc.assert(
    fc.property(
      ballot,
      fc.nat(2),
      name,
      disguise,
      fc.func(fc.nat()),
      (given_, number, text, change, order) => {
        const contests = createContests(given_);
        const row = { contest: `Council District ${number + 1}`, choice: text };
        const expected = match(contests, row);
        const shuffled = contests
          .map((contest) => ({
            ...contest,
            choices: contest.choices.toSorted((a, b) => order(a.key) - order(b.key)),
          }))
          .toSorted((a, b) => order(a.key) - order(b.key));
        const found = match(shuffled, { contest: change(row.contest), choice: change(row.choice) });
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});
