/** The first reading of a table of endorsements: what its rows say together. */
import type { EndorsementField } from '../../intake/endorsements/fields.ts';
import { type EndorsementColumns, positionCellsOf } from '../../intake/endorsements/read-row.ts';
import { isYesOrNo, readRank } from '../../intake/tables/answers.ts';
import type { ColumnMap } from '../../intake/tables/columns.ts';
import { readDayFirst } from '../../intake/tables/dates.ts';
import type { Table } from '../../intake/tables/read-table.ts';
import { TableError } from '../../intake/tables/table-error.ts';
import { createDenialCheck } from './refuse-denials.ts';

/** The most positions whose ranks are noticed. */
const MAX_RANKED = 10_000;
const DATE_FIELDS: readonly EndorsementField[] = ['published_on', 'election_date', 'election'];

/**
 * Reads a whole table.
 *
 * @param map the columns that a person has chosen or left out
 * @param pause awaited after each row, so that a process can do its other work
 * @returns whether an empty position says that nothing was endorsed. It does not if only rows without a choice have
 * positions, which are about measures; nor beside an answer if no row with an answer has a position. Positions are no
 * flags if one is a rank. Also the positions with ranks, and whether it is a review file, which has only rows that were open
 * @throws TableError if there are no rows, if a column has a date that can only be read with its day first, and the errors
 * of `createDenialCheck`
 */
export async function scanTable(
  { header, rows }: Table,
  { places, flags }: Pick<EndorsementColumns, 'places' | 'flags'>,
  map: ColumnMap<EndorsementField>,
  pause?: () => Promise<void>,
): Promise<
  Pick<EndorsementColumns, 'answersChoices' | 'marksAnswers' | 'flags' | 'ranked'> & { isReview: boolean }
> {
  const refuseDenials = createDenialCheck(header, places, map);
  const dates = DATE_FIELDS.flatMap((field) => places.get(field) ?? []);
  const isFilled = (field: EndorsementField, cells: string[]) =>
    (cells[places.get(field) ?? -1] ?? '').trim() !== '';
  let isEmpty = true;
  let answersChoices = false;
  let answersMeasures = false;
  let marksAnswers = false;
  let hasRanks = false;
  const ranked = new Set<string>();
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
    if (isFilled('rank', cells) && ranked.size < MAX_RANKED) ranked.add(positionCellsOf(cells, places));
    refuseDenials(line, cells);
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
    ranked,
  };
  return { ...meaning, isReview };
}

function refuseDayFirst(
  line: number,
  { cell, date, column }: { cell: string; date: string; column: string },
): TableError {
  const problem =
    `Line ${line} has ${cell.trim()} in the column "${column}", which fits only with the day first, and dates are read ` +
    `with the month first: write it as ${date}, and the other dates of the column as YYYY-MM-DD too, or`;
  return new TableError(`${problem} leave the column out with --map ${JSON.stringify(`${column}=`)}.`, {
    problem: `${problem} choose "Not used" for the column.`,
  });
}
