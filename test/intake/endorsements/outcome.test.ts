import { expect, test } from '@jest/globals';
import { ENDORSEMENT_FIELDS } from '../../../intake/endorsements/fields.ts';
import { type Fate, IntakeOutcome } from '../../../intake/endorsements/outcome.ts';
import { readColumns } from '../../../intake/endorsements/read-row.ts';
import { createReviewWriter } from '../../../intake/endorsements/review-file.ts';
import { readColumnMap } from '../../../intake/tables/columns.ts';

/** Adds a row of a fate, about a contest. */
function add(outcome: IntakeOutcome, line: number, fate: Fate, contest: string | null, isResolved: boolean) {
  const names = { endorser: 'Acme', contest, choice: `Choice ${line}` };
  outcome.add(fate, { line, ...names, proposed: `proposed ${line}`, reason: `reason ${line}` }, isResolved);
}

test('the outcome counts each row once, and lists those that need a person', () => {
  const outcome = new IntakeOutcome();
  add(outcome, 2, 'exact', 'Mayor', true);
  add(outcome, 3, 'close', 'Mayor', false);
  add(outcome, 4, 'close', null, true);
  add(outcome, 5, 'refused', 'Sheriff', false);
  add(outcome, 6, 'exact', 'Mayor', true);
  add(outcome, 7, 'left out', 'Sheriff', true);
  expect([outcome.rows, outcome.unresolved, outcome.count('exact'), outcome.count('none')]).toEqual([
    6, 2, 2, 0,
  ]);
  const { counts, sections } = outcome.report;
  // Grades are shown also if no row has them, and other fates only if one has.
  expect(counts.map(({ label, count }) => `${label} ${count}`)).toEqual([
    ...['rows 6', 'exact 2', 'close 2', 'ambiguous 0', 'none 0', 'left out 1', 'refused 1'],
  ]);
  expect(sections.map(({ title, total }) => [title, total])).toEqual([
    ['Rows that cannot be used', 1],
    ['Close matches', 2],
    ['By contest', 3],
  ]);
  expect(sections[0]?.rows).toEqual([[5, 'Acme', 'Sheriff', 'Choice 5', 'proposed 5', 'reason 5']]);
  expect(sections[2]).toMatchObject({
    columns: ['contest', 'exact', 'close', 'ambiguous', 'none', 'left out', 'refused'],
    rows: [
      ['Mayor', 2, 1, null, null, null, null],
      ['', null, 1, null, null, null, null],
      ['Sheriff', null, null, null, null, 1, 1],
    ],
  });
});

test('the contests that a report counts are bounded, and rows of others are counted in all', () => {
  const outcome = new IntakeOutcome();
  for (let line = 2; line < 2_003; line += 1) add(outcome, line, 'exact', `Contest ${line}`, true);
  add(outcome, 2_003, 'exact', 'Contest 2', true);
  const contests = outcome.report.sections.at(-1);
  expect([outcome.rows, contests?.total, contests?.rows[0]]).toEqual([
    2_002,
    2_000,
    ['Contest 2', 2, null, null, null],
  ]);
});

test('a review file has the columns of the table, and those of the review once, at its end', () => {
  const header = ['decision', 'Who', 'Note', 'match_grade'];
  const columns = readColumns(header, readColumnMap(['Who=choice'], ENDORSEMENT_FIELDS), {
    ...{ endorser: 'acme', election: 'or-2026-11-03-general' },
  });
  const { head, write } = createReviewWriter(header, columns);
  expect(head).toBe(
    '\ufeffWho,Note,match_grade,match_reason,proposed_endorser,proposed_contest,proposed_choice,decision\r\n',
  );
  const review = {
    ...{ match_grade: 'close', match_reason: 'a, b', proposed_endorser: 'acme', proposed_contest: 'x/mayor' },
    ...{ proposed_choice: 'ann', decision: '' },
  };
  expect(write(['no', 'Ann'], review)).toBe('Ann,,close,"a, b",acme,x/mayor,ann,\r\n');
});
