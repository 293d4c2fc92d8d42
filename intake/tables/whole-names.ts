import { isFormulaError } from './cells.ts';
import { foldName } from './columns.ts';
import type { Table } from './read-table.ts';

/** The folded names of the columns for the parts of a name, in the order of a whole name. */
const FIRST = ['first name', 'first', 'given name', 'name first'];
const MIDDLE = ['middle name', 'middle', 'middle initial', 'name middle'];
const LAST = ['last name', 'last', 'surname', 'family name', 'name last'];
const SUFFIX = ['suffix', 'name suffix'];

/** The name of the column with the whole names. */
const WHOLE = 'Candidate';

/**
 * Joins the parts of the candidates' names, such as the columns First Name and Last Name, to one column `Candidate`. A
 * table with a column for whole names stays as it is, since its other names may be of other people.
 *
 * @param wholeNames the folded names of columns for whole names
 */
export function joinNames(table: Table, wholeNames: readonly string[]): Table {
  const { header } = table;
  const folded = header.map(foldName);
  const find = (names: readonly string[]) => {
    const all = [...names.flatMap((name) => [`candidate ${name}`, `cand ${name}`]), ...names];
    const name = all.find((each) => folded.includes(each));
    const [at = -1, ...others] = folded.keys().filter((place) => folded[place] === name);
    // One of two columns of a name can be of somebody else.
    return others.length === 0 ? at : -1;
  };
  const [first, last] = [find(FIRST), find(LAST)];
  if (first < 0 || last < 0 || folded.some((name) => wholeNames.includes(name))) return table;
  const parts = [first, find(MIDDLE), last, find(SUFFIX)].filter((at) => at >= 0);
  const replace = (cells: readonly string[], whole: string) =>
    cells.flatMap((cell, at) => (at === first ? [whole] : parts.includes(at) ? [] : [cell]));
  const wholeOf = (cells: readonly string[]) => {
    const texts = parts.map((at) => cells[at]?.trim() ?? '');
    return texts.find(isFormulaError) ?? texts.filter((text) => text !== '').join(' ');
  };
  async function* rows() {
    for await (const row of table.rows) {
      yield 'fault' in row ? row : { ...row, cells: replace(row.cells, wholeOf(row.cells)) };
    }
  }
  const joined = parts.map((at) => header[at] ?? '');
  return { ...table, header: replace(header, WHOLE), joined, rows: rows() };
}
