import { expect, test } from '@jest/globals';
import { describeTable, readTable } from '../../../intake/tables/read-table.ts';
import { joinNames } from '../../../intake/tables/whole-names.ts';
import { pieces } from '../../helpers/feeds/map-text.ts';

/** The lines of a table after its names are joined. */
async function join(...lines: string[]) {
  const table = joinNames(await readTable(pieces(lines.join('\n'))), ['candidate', 'name']);
  const rows: unknown[] = [];
  for await (const row of table.rows) rows.push('fault' in row ? row.fault : row.cells);
  return { read: describeTable(table), lines: [table.header, ...rows] };
}

test('the parts of a name become one column, in the order of a name', async () => {
  const { read, lines } = await join(
    'Office,Last Name,Suffix,First Name,Middle Initial,Party',
    'Mayor,Smith,Jr.,John,Q,Alder',
    'Mayor,Prince,,,,Birch',
    'Clerk,,,,,',
  );
  expect(lines).toEqual([
    ['Office', 'Candidate', 'Party'],
    ['Mayor', 'John Q Smith Jr.', 'Alder'],
    ['Mayor', 'Prince', 'Birch'],
    ['Clerk', '', ''],
  ]);
  expect(read).toBe(
    'UTF-8, with commas, the names of candidates joined from "First Name", "Middle Initial", "Last Name", "Suffix"',
  );
});

test.each([
  ['a column has whole names', 'Candidate,First Name,Last Name'],
  ['a name lacks its first or last part', 'Office,First Name,Middle Name'],
  ['two columns have the first names', 'First Name,Last Name,First name'],
])('a table stays as it is if %s', async (_, header) => {
  const { read, lines } = await join(header, 'a,b,c');
  expect(lines).toEqual([header.split(','), ['a', 'b', 'c']]);
  expect(read).toBe('UTF-8, with commas');
});

test('a column without a name stays as it is', async () => {
  const { lines } = await join('First Name,,Last Name', 'Ann,x,Lee');
  expect(lines).toEqual([
    ['Candidate', ''],
    ['Ann Lee', 'x'],
  ]);
});

test('the columns that name the candidate count, beside those of another person', async () => {
  const { lines } = await join('First,Last,Candidate Last Name,candidate_first_name', 'Al,Bo,Lee,Ann');
  expect(lines).toEqual([
    ['First', 'Last', 'Candidate'],
    ['Al', 'Bo', 'Ann Lee'],
  ]);
});

test('the error of a formula in a part remains one, and a row that cannot be used keeps its reason', async () => {
  const { lines } = await join('First Name,Last Name,Office', 'Ann,#N/A,Mayor', 'Ann,Lee,Mayor,more');
  expect(lines).toEqual([
    ['Candidate', 'Office'],
    ['#N/A', 'Mayor'],
    expect.stringMatching(/^has 4 cells, and the header 3/),
  ]);
});
