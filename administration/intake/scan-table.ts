/** The first reading of a table of endorsements: what its rows say together. */
import type { EndorsementField } from '../../intake/endorsements/fields.ts';
import type { EndorsementColumns } from '../../intake/endorsements/read-row.ts';
import { isYesOrNo, readAnswer, readRank } from '../../intake/tables/answers.ts';
import { type ColumnMap, foldName } from '../../intake/tables/columns.ts';
import { readDayFirst } from '../../intake/tables/dates.ts';
import type { Table } from '../../intake/tables/read-table.ts';
import { TableError } from '../../intake/tables/table-error.ts';

const DATE_FIELDS: readonly EndorsementField[] = ['published_on', 'election_date', 'election'];

/** The words of a column or cell that is about endorsing. */
const STANCE = /\b(?:position|stance|endors\w*|recommend\w*|support\w*|oppos\w*)\b/i;
const NOT_ENDORSED = /^(?:do )?not (?:endors|recommend)\w*$/i;

/** The most characters of such a cell. Longer ones are statements, which would take their time. */
const MAX_DENIAL = 50;

/** Whether a cell says that somebody is not endorsed. */
function saysNot(name: string, cell: string): boolean {
  if (cell === '' || cell.length > MAX_DENIAL) return false;
  const answer = readAnswer(cell);
  const isDenial = answer === 'no' || answer === 'nothing' || NOT_ENDORSED.test(cell);
  return isDenial && STANCE.test(answer === 'no' ? `${name} ${cell}` : cell);
}

/**
 * Reads a whole table.
 *
 * @param map the columns that a person has chosen or left out
 * @param pause awaited after each row, so that a process can do its other work
 * @returns whether an empty position says that nothing was endorsed. It does not if only rows without a choice have
 * positions, which are about measures; nor beside an answer if no row with an answer has a position. Positions are no
 * flags if one is a rank. Also whether it is a review file, which has only rows that were open
 * @throws TableError if there are no rows, if a column has a date that can only be read with its day first, or if a column
 * that is not used, or statements without positions, say that somebody is not endorsed
 */
export async function scanTable(
  { header, rows }: Table,
  { places, flags }: Pick<EndorsementColumns, 'places' | 'flags'>,
  map: ColumnMap<EndorsementField>,
  pause?: () => Promise<void>,
): Promise<Pick<EndorsementColumns, 'answersChoices' | 'marksAnswers' | 'flags'> & { isReview: boolean }> {
  const used = new Set(places.values());
  const said = new Set([...map.keys()].map(foldName));
  const isUnread = (at: number) =>
    header[at] !== '' && !used.has(at) && !said.has(foldName(header[at] ?? ''));
  const unread = [...header.keys()].filter(isUnread);
  const denying = places.has('position') ? [] : [...unread, places.get('statement') ?? -1];
  // Beside a column Support, a column Oppose has marks that mean No.
  const opposing = unread.filter((at) => readAnswer(header[at] ?? '') === 'no');
  const dates = DATE_FIELDS.flatMap((field) => places.get(field) ?? []);
  const isFilled = (field: EndorsementField, cells: string[]) =>
    (cells[places.get(field) ?? -1] ?? '').trim() !== '';
  let isEmpty = true;
  let answersChoices = false;
  let answersMeasures = false;
  let marksAnswers = false;
  let hasRanks = false;
  let isReview = places.has('match_grade');
  for await (const row of rows) {
    await pause?.();
    isEmpty = false;
    if ('fault' in row) continue;
    const { line, cells } = row;
    isReview &&= isFilled('match_grade', cells);
    if (isFilled('position', cells)) {
      if (isFilled('choice', cells)) answersChoices = true;
      else answersMeasures = true;
      marksAnswers ||= isYesOrNo(cells[places.get('choice') ?? -1]);
      hasRanks ||= (readRank(cells[places.get('position') ?? -1] ?? '') ?? 1) > 1;
    }
    const told = { line, header, cells };
    const denied = denying.find((at) => saysNot(header[at] ?? '', cells[at]?.trim() ?? ''));
    if (denied !== undefined) throw refuseDenial(denied, told);
    const opposed = opposing.find((at) => readAnswer(cells[at] ?? '') === 'yes');
    if (opposed !== undefined) throw refuseOpposed(opposed, told);
    for (const place of dates) {
      const cell = cells[place] ?? '';
      const date = readDayFirst(cell);
      if (date !== null) throw refuseDayFirst(line, { cell, date, column: header[place] ?? '' });
    }
  }
  if (isEmpty) throw new TableError('The table has no rows below the names of its columns.');
  const meaning = {
    answersChoices: answersChoices || !answersMeasures,
    marksAnswers,
    flags: flags && !hasRanks,
  };
  return { ...meaning, isReview };
}

/** The cell of a row that lets a table be refused. */
interface Told {
  line: number;
  header: readonly string[];
  cells: readonly string[];
}
const showCell = (at: number, { line, header, cells }: Told) =>
  `Line ${line} has "${cells[at]?.trim()}" in the column "${header[at]}"`;
const mapTo = (field: string, column = '') => `--map ${JSON.stringify(`${column}=${field}`)}`;

function refuseDenial(at: number, told: Told): TableError {
  const column = told.header[at];
  const problem = `${showCell(at, told)}, and the table has no column of positions`;
  return new TableError(
    `${problem}: say with ${mapTo('position', column)} that this one has them, or leave it out with ${mapTo('', column)}.`,
    { problem: `${problem}: say that this one has them, or that it is not used.` },
  );
}

function refuseOpposed(at: number, told: Told): TableError {
  const problem = `${showCell(at, told)}, which is not used: write Yes and No into one column, or leave this one out`;
  return new TableError(`${problem} with ${mapTo('', told.header[at])}.`, { problem: `${problem}.` });
}

function refuseDayFirst(
  line: number,
  { cell, date, column }: { cell: string; date: string; column: string },
): TableError {
  const problem =
    `Line ${line} has ${cell.trim()} in the column "${column}", which fits only with the day first, and dates are read ` +
    `with the month first: write it as ${date}, and the other dates of the column as YYYY-MM-DD too, or leave the column out`;
  return new TableError(`${problem} with --map ${JSON.stringify(`${column}=`)}.`, { problem: `${problem}.` });
}
