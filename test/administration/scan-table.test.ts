import { expect, test } from '@jest/globals';
import { scanTable } from '../../administration/intake/scan-table.ts';
import { ENDORSEMENT_FIELDS } from '../../intake/endorsements/fields.ts';
import { readColumns, readRow } from '../../intake/endorsements/read-row.ts';
import { readColumnMap } from '../../intake/tables/columns.ts';
import { readTable } from '../../intake/tables/read-table.ts';

/** The rows of a table, read with what they say together. */
async function readTableRows(lines: string[], ...options: string[]) {
  const open = () =>
    readTable(
      (async function* () {
        yield Buffer.from(lines.join('\n'));
      })(),
    );
  const { header, rows } = await open();
  const map = readColumnMap(options, ENDORSEMENT_FIELDS);
  const columns = readColumns(header, map, {
    election: 'el',
    ...(header.includes('Endorser') ? {} : { endorser: 'gazette' }),
  });
  const found = await scanTable(await open(), columns, map);
  const read = [];
  for await (const row of rows) if ('cells' in row) read.push(readRow(row.cells, { ...columns, ...found }));
  return read;
}

const positionsOf = async (lines: string[], ...options: string[]) =>
  (await readTableRows(lines, ...options)).map(({ position }) => position);

test.each([
  ['Endorsed', '1', '0', 'Yes', 'No'],
  ['Endorsed', '1', '2', '1', '2'],
  ['Support', '1', '#3', '1', '#3'],
])('in the column %j beside each other, %j and %j are %j and %j', async (column, a, b, ...positions) => {
  expect(await positionsOf([`Race,Candidate,${column}`, `Mayor,Ann,${a}`, `Mayor,Bo,${b}`])).toEqual(
    positions,
  );
});

test.each([
  ['Status', 'Not endorsed'],
  ['Result', 'No endorsement'],
  ['Outcome', 'Not recommended'],
  ['Notes', 'Do not endorse'],
  ['Board position', 'No'],
  ['Endorsement status', 'Oppose'],
  ['Comments', 'No endorsement'],
  ['Estado', 'No respaldado'],
  ['Posición nuestra', 'No'],
  ['Status', 'Withdrawn'],
  ['Notes', 'Endorsement rescinded'],
])('the column %j with %j must be used or left out', async (column, cell) => {
  const lines = [`Race,Candidate,${column}`, 'Mayor,Ann,Yes', `Mayor,Bo,${cell}`];
  const problem = `Line 3 has "${cell}" in the column "${column}", and the table has no column of positions`;
  await expect(positionsOf(lines)).rejects.toMatchObject({
    message:
      `${problem}: say with --map "${column}=position" that this one has them, or leave it out with ` +
      `--map "${column}=".`,
    problem: `${problem}: choose "Position" for this one if it has them, or "Not used" if all rows are endorsements.`,
  });
  expect(await positionsOf(lines, `${column}=position`)).toEqual(['Yes', cell]);
  expect(await positionsOf(lines, `${column.toUpperCase()}=`)).toEqual([undefined, undefined]);
});

test.each([
  ['Incumbent', 'No'],
  ['Endorsement notes', 'N/A'],
  ['Notes', 'Opposed by the chamber of commerce'],
  ['Notes', ''],
  ['Comments', `No endorsement${'!'.repeat(50)}`],
])('the column %j with %j says nothing about an endorsement', async (column, cell) => {
  expect(await positionsOf([`Race,Candidate,${column}`, `Mayor,Bo,${cell}`])).toEqual([undefined]);
});

test.each([
  ['Grade', 'F'],
  ['Bar rating', 'Qualified'],
  ['Score (%)', '20'],
])('the column %j, which judges all candidates, must be used or left out', async (column, cell) => {
  const lines = [`Race,Candidate,${column}`, 'Mayor,Ann,', `Mayor,Bo,${cell}`];
  await expect(positionsOf(lines)).rejects.toThrow(
    `Line 3 has "${cell}" in the column "${column}", and the table has no column of positions: say with`,
  );
  expect(await positionsOf(lines, `${column}=position`)).toEqual([null, cell]);
  expect(await positionsOf(lines, `${column}=`)).toEqual([undefined, undefined]);
  expect(await positionsOf(lines.slice(0, 2))).toEqual([undefined]);
  expect(await positionsOf([`Race,Endorsed candidate,${column}`, `Mayor,Bo,${cell}`])).toEqual([undefined]);
  expect(await positionsOf([`Race,Candidate,${column},Endorsed`, `Mayor,Bo,${cell},x`])).toEqual(['x']);
});

test.each(['x', '9/1/2026'])('%j in a column Withdrawn contradicts an endorsement', async (cell) => {
  const lines = ['Race,Candidate,Endorsed,Withdrawn', 'Mayor,Ann,x,No', `Mayor,Bo,x,${cell}`];
  await expect(positionsOf(lines)).rejects.toThrow(
    `Line 3 has "${cell}" in the column "Withdrawn": write Yes and No into one column, or leave this one out with`,
  );
  expect(await positionsOf(lines, 'Withdrawn=')).toEqual(['x', 'x']);
  expect(await positionsOf(lines.slice(0, 2))).toEqual(['x']);
});

test('a row lacks its rank if another row about the position has one', async () => {
  const lines = ['Endorser,Contest,Candidate,Rank', 'Gazette,Mayor,Ann,', 'Gazette,mayor ,Bo,1'];
  const others = ['Herald,Mayor,Ann,', 'Gazette,Sheriff,Cy,'];
  expect(await readTableRows([...lines, ...others])).toMatchObject([
    { lacksRank: true },
    ...[false, false, false].map((lacksRank) => ({ lacksRank })),
  ]);
  expect(await readTableRows([lines[0] ?? '', ...others])).toMatchObject([
    { lacksRank: false },
    { lacksRank: false },
  ]);
});

test('a mark in the column "Not endorsed" denies an endorsement', async () => {
  const lines = ['Race,Candidate,Not endorsed', 'Mayor,Ann,', 'Mayor,Bo,x'];
  await expect(positionsOf(lines)).rejects.toThrow(
    'Line 3 has "x" in the column "Not endorsed", and the table',
  );
  expect(await positionsOf(lines.slice(0, 2))).toEqual([undefined]);
});

test('a column without a name that denies an endorsement must be named or empty', async () => {
  const lines = ['Race,Candidate,,Notes', 'Mayor,Ann,No,x', 'Mayor,Bo,Not endorsed,x'];
  await expect(positionsOf(lines)).rejects.toThrow(
    'Line 3 has "Not endorsed" in column 3, which has no name, and the table has no column of positions: name it ' +
      '"Position" in the file if it has them, or empty it.',
  );
});

test('beside a column of positions, another column is not looked at', async () => {
  expect(await positionsOf(['Race,Candidate,Endorsed,Status', 'Mayor,Bo,x,Not endorsed'])).toEqual(['x']);
});

test.each(['Oppose', 'Against', 'No'])(
  'a mark in the column %j needs an answer of its own',
  async (column) => {
    const lines = [`Measure,Support,${column}`, 'Prop 1,x,', 'Prop 50,,x'];
    const problem = `Line 3 has "x" in the column "${column}": write Yes and No into one column`;
    await expect(positionsOf(lines)).rejects.toMatchObject({
      message: `${problem}, or leave this one out with --map "${column}=".`,
      problem: `${problem} and upload the file again, or choose "Not used" for this one.`,
    });
    const alone = { message: `${problem}.`, problem: `${problem} and upload the file again.` };
    await expect(positionsOf(lines, `${column}=position`)).rejects.toMatchObject(alone);
    // Without the column, the row would endorse its candidate.
    await expect(positionsOf([`Race,Candidate,${column}`, 'Mayor,Ann,', 'Mayor,Bo,x'])).rejects.toMatchObject(
      alone,
    );
    expect(await positionsOf(lines, `${column}=`)).toEqual(['x', null]);
    expect(await positionsOf([...lines.slice(0, 2), 'Prop 50,,-'])).toEqual(['x', null]);
  },
);

test('a column of days first is to be corrected, or is not used', async () => {
  const lines = ['Race,Candidate,Date', 'Mayor,Ann,25/12/2025'];
  const words = 'and the other dates of the column as YYYY-MM-DD too, or';
  await expect(positionsOf(lines)).rejects.toMatchObject({
    message: expect.stringMatching(`${words} leave the column out with --map "Date=".$`),
    problem: expect.stringMatching(`${words} choose "Not used" for the column.$`),
  });
  expect(await positionsOf(lines, 'Date=')).toEqual([undefined]);
});
