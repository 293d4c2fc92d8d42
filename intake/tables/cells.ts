import type { Separator } from './separator.ts';

/**
 * Spreadsheets run a cell that begins with one of these signs as a formula, also in a file that somebody else made. An
 * apostrophe in front makes it a text.
 */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** A cell for a file that a person opens in a spreadsheet: no formula, and quoted where it must be. */
function formatCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The results of formulas that fail, in Excel, Google Sheets, LibreOffice and Numbers. */
const FORMULA_ERROR = /^(?:#(?:(?:REF|VALUE|DIV\/0|NUM|NULL|SPILL|CALC|ERROR)!|NAME\?|N\/A)|Err:\d{3})$/i;

/** Whether a cell has the result of a formula that fails. It says nothing, while a person's "N/A" does. */
export const isFormulaError = (cell: string): boolean => FORMULA_ERROR.test(cell.trim());

/** The text of a cell as `formatCell` was given it. */
export const readCell = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell);

/** Begins a table that spreadsheets read as UTF-8. */
export const TABLE_START = '\ufeff';

/** A line of a table with its line break. `readTable` gives the same texts back. */
export function formatRow(cells: readonly string[], separator: Separator = ','): string {
  // Without the quotation marks, a row of one empty cell would be an empty line.
  return `${cells.length === 1 && cells[0] === '' ? '""' : cells.map(formatCell).join(separator)}\r\n`;
}
