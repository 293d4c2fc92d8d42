/** Columns that say against somebody what the table would be read to say for them. */
import type { EndorsementField } from '../../intake/endorsements/fields.ts';
import type { EndorsementColumns } from '../../intake/endorsements/read-row.ts';
import { readAnswer } from '../../intake/tables/answers.ts';
import { type ColumnMap, foldName } from '../../intake/tables/columns.ts';
import { TableError } from '../../intake/tables/table-error.ts';

/** The words of a column or cell that is about endorsing, in English and Spanish. */
const STANCE =
  /\b(?:position|stance|endors|recommend|support|oppos|posici[oó]n|postura|respald|apoy|recomend|endos)/i;
const NOT_ENDORSED = /^(?:(?:do )?not (?:endors|recommend)|no (?:respald|apoy|recomend|endos))\p{L}*$/iu;
/** The most characters of such a cell. Longer ones are statements, which would take their time. */
const MAX_DENIAL = 50;

/** The words of a column or cell about an endorsement that no longer stands. */
const REVOKED = /withdr|rescind|revok|retract|unendors|no longer/i;
/** The names of columns that judge all candidates, not only those who are endorsed. */
const JUDGEMENT =
  /\b(?:rat(?:ing|ed)|grades?|scores?|scorecard|stars?|tier|evaluation|qualifi(?:ed|cations?)|percent(?:age)?)\b/i;

/** Whether a cell in the column of a name says that somebody is not endorsed. */
function saysNot(name: string, cell: string): boolean {
  if (cell === '' || cell.length > MAX_DENIAL) return false;
  const answer = readAnswer(cell);
  if (answer === 'no') return STANCE.test(`${name} ${cell}`);
  if (answer === 'yes') return readAnswer(name) === 'nothing';
  return NOT_ENDORSED.test(cell) || (answer === 'nothing' && (STANCE.test(cell) || REVOKED.test(cell)));
}

/**
 * Creates a check of a table's rows.
 *
 * @param map the columns that a person has chosen or left out
 * @returns a function that throws a TableError if a row says, or can say, that somebody is not endorsed: in a column that
 * is not used, in a statement without positions, by a mark in a column such as Oppose, or in a column such as Grade if no
 * column is named after endorsements, unless the column is left out
 */
export function createDenialCheck(
  header: readonly string[],
  places: EndorsementColumns['places'],
  map: ColumnMap<EndorsementField>,
): (line: number, cells: readonly string[]) => void {
  const used = new Set(places.values());
  const said = new Set([...map.keys()].map(foldName));
  const unread = [...header.entries()].flatMap(([at, name]) =>
    used.has(at) || (name !== '' && said.has(foldName(name))) ? [] : at,
  );
  const denying = places.has('position') ? [] : [...unread, places.get('statement') ?? -1];
  const nameOf = (at: number | undefined) => header[at ?? -1] ?? '';
  const areEndorsed = places.has('position') || STANCE.test(nameOf(places.get('choice')));
  const judging = areEndorsed ? [] : unread.filter((at) => JUDGEMENT.test(nameOf(at)));
  const isRevoking = (at: number) => REVOKED.test(nameOf(at));
  // A mark there would be read as Yes if the column had the positions.
  const opposing = [...unread, places.get('position') ?? -1].filter(
    (at) => readAnswer(nameOf(at)) === 'no' || isRevoking(at),
  );
  const opposes = (at: number, cell: string) => {
    const answer = readAnswer(cell);
    return answer === 'yes' || (answer === null && isRevoking(at));
  };
  return (line, cells) => {
    const cellAt = (at: number) => cells[at]?.trim() ?? '';
    const show = (at: number) => `Line ${line} has "${cellAt(at)}" in ${showColumn(header, at)}`;
    const denied =
      denying.find((at) => saysNot(nameOf(at), cellAt(at))) ?? judging.find((at) => cellAt(at) !== '');
    if (denied !== undefined) throw refuseDenial(show(denied), header[denied]);
    const opposed = opposing.find((at) => opposes(at, cellAt(at)));
    if (opposed === undefined) return;
    const isOnly = (places.get('position') ?? opposed) === opposed;
    throw refuseOpposed(show(opposed), isOnly ? null : header[opposed]);
  };
}

const showColumn = (header: readonly string[], at: number): string =>
  header[at] ? `the column "${header[at]}"` : `column ${at + 1}, which has no name`;

const mapTo = (field: string, column = '') => `--map ${JSON.stringify(`${column}=${field}`)}`;

function refuseDenial(shown: string, column?: string): TableError {
  const problem = `${shown}, and the table has no column of positions`;
  if (!column)
    return new TableError(`${problem}: name it "Position" in the file if it has them, or empty it.`);
  return new TableError(
    `${problem}: say with ${mapTo('position', column)} that this one has them, or leave it out with ${mapTo('', column)}.`,
    {
      problem: `${problem}: choose "Position" for this one if it has them, or "Not used" if all rows are endorsements.`,
    },
  );
}

/** @param column null if the table has no other positions: without this column, its rows would be endorsements */
function refuseOpposed(shown: string, column: string | null | undefined): TableError {
  const problem = `${shown}: write Yes and No into one column`;
  if (column === null) {
    return new TableError(`${problem}.`, { problem: `${problem} and upload the file again.` });
  }
  return new TableError(`${problem}, or leave this one out with ${mapTo('', column)}.`, {
    problem: `${problem} and upload the file again, or choose "Not used" for this one.`,
  });
}
