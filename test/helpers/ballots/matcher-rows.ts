/** The contests of an election for tests of matching, and the meaning of rows in them. */
import {
  type ContestEntry,
  type ElectionEntry,
  indexElection,
} from '../../../intake/matching/catalogue-index.ts';
import { type FindAlias, matchRow } from '../../../intake/matching/match-row.ts';
import { createContestFinder } from '../../../intake/matching/row-contests.ts';
import type { RowNames } from '../../../intake/matching/row-names.ts';
import { choice, contest, election, YES_NO } from './matcher-entries.ts';

export const CONTESTS = [
  contest('governor', 'Governor of California', [
    choice('villa', 'Antonio Villaraigosa', { party: 'Democratic' }),
    choice('cox', 'John H. Cox', { party: 'Republican' }),
    choice('wildstar', 'Nickolas "Nick" Wildstar'),
  ]),
  contest(
    'house-12',
    'U.S. House California District 12',
    [choice('lee', 'Barbara Lee'), choice('tran', 'Jennifer Tran')],
    {
      short_title: 'U.S. House CA-12',
      district: {
        ocd_id: 'ocd-division/country:us/state:ca/cd:12',
        name: 'California Congressional District 12',
      },
    },
  ),
  contest('house-11', 'U.S. House California District 11', [choice('pelosi', 'Nancy Pelosi')], {
    short_title: 'U.S. House CA-11',
  }),
  contest('assembly-25', 'State Assembly, District 25', [choice('kalra', 'Ash Kalra')]),
  contest('delegates-41', 'Member, House of Delegates (41st District)', [choice('ott', 'Ida Ott')]),
  contest('senate-15', 'State Senate, District 15', [choice('cortese', 'Dave Cortese')]),
  contest('controller', 'Controller', [
    choice('cohen', 'Malia Cohen'),
    choice('mayor', 'Ana Mayor Ruiz'),
    choice('judge', 'Eva Judge Lima'),
    choice('lima', 'Eva Lima'),
  ]),
  contest('attorney', 'Attorney General', [choice('bonta', 'Rob Bonta')]),
  contest('council-2', 'Member, City Council, 2nd District', [
    choice('smith-sr', 'John Smith Sr.'),
    choice('smith-jr', 'John Smith Jr.'),
    choice('oneil', "Mary O'Neil-García"),
  ]),
  contest('judge-3', 'Superior Court Judge, Office No. 3', [
    choice('gray-d', 'Ann Gray', { candidate: 'gray', party: 'Democratic' }),
    choice('gray-w', 'Ann Gray', { candidate: 'gray', party: 'Working Families' }),
    choice('lopez-1', 'Luis Lopez', { candidate: '1', party: 'Democratic' }),
    choice('lopez-2', 'Luis Lopez', { candidate: '2', party: 'Green' }),
  ]),
  contest('auditor', 'Auditor', [
    choice('moss', 'Ed Moss'),
    choice('moss-jr', 'Ed Moss, Jr.'),
    choice('roe-d', 'Al Roe', { candidate: 'roe', party: 'Democratic' }),
    choice('roe-g', 'Al Roe', { candidate: 'roe', party: 'Green', withdrawn: true }),
  ]),
  contest('clerk', 'Clerk', [
    choice('ott-d', 'Ida Ott', { candidate: 'ott', party: 'Democratic', withdrawn: true }),
    choice('ray', 'Sol Ray', { withdrawn: true }),
    choice('none', 'None of these candidates', { candidate: null, full_name: null }),
  ]),
  contest('archivist', 'Archivist', [
    choice('roe-a', 'Al Roe, Alder line', { candidate: 'roe', full_name: 'Al Roe' }),
    choice('roe-b', 'Al Roe, Birch line', { candidate: 'roe', full_name: 'Al Roe' }),
    choice('Poe', 'Eva Lee'),
    choice('lee', 'Poe'),
    choice('nurse', 'Uma Vey (nurse)'),
    choice('x/y', 'Zed Kay'),
    choice('star', 'Ms. ★'),
    choice('no', 'Ida No'),
  ]),
  contest('sheriff-d', 'Sheriff (D)', [choice('fox', 'Max Fox')]),
  contest('sheriff-r', 'Sheriff (R)', [choice('elk', 'Sam Elk')]),
  contest('school', 'School Board', [choice('kay', 'Kay Ono')], {
    district: { ocd_id: null, name: 'School District 7' },
  }),
  contest('prop-2', 'Proposition 2: School bonds', YES_NO, {
    kind: 'measure',
    short_title: 'Prop 2',
    measure_code: '2',
  }),
  contest('measure-b', 'Measure B: Parks', YES_NO, { kind: 'measure', measure_code: 'B' }),
  contest('measure-c', 'Measure C: Libraries', YES_NO, {
    kind: 'measure',
    short_title: 'C',
    measure_code: 'C',
  }),
  contest('measure-rr', 'Measure RR: Trains', YES_NO, { kind: 'measure', measure_code: 'RR' }),
  contest('retain-liu', 'Retain Justice Goodwin Liu', YES_NO, { kind: 'retention' }),
];

/** Creates a function that matches a row of some names with contests. Its key is `contest/choice`, each `?` if none fits. */
export function createMatch(contests: ContestEntry[], of: ElectionEntry = election) {
  const index = indexElection(of, contests);
  const find = createContestFinder(index);
  return (names: Partial<RowNames>, alias: FindAlias = () => null) => {
    const row = { contest: null, district: null, choice: null, party: null, position: undefined, ...names };
    const found = matchRow(index, row, alias, find);
    return { ...found, key: `${found.contest?.key.split('/')[1] ?? '?'}/${found.choice?.key ?? '?'}` };
  };
}

export const matchNames = createMatch(CONTESTS);

/** The meaning of a row in CONTESTS, with all reasons; `nothing` is the grade of a row that no submission can say. */
export function match(
  contestText: string | null,
  choiceText: string | null,
  more: Partial<RowNames> = {},
  alias?: FindAlias,
) {
  const names = { contest: contestText, choice: choiceText, ...more };
  const { key, grade, unrepresentable, reasons } = matchNames(names, alias);
  return { key, grade: unrepresentable ? 'nothing' : grade, why: reasons.join('; ') };
}
