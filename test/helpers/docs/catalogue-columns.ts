import { CATALOGUE_FIELDS, COLUMN_NAMES, FIELD_NAMES } from '../../../intake/catalogue/table-fields.ts';

/** The table of the columns of catalogue tables, in Markdown as the formatter writes it. */
export function columnsTable(): string {
  const rows = FIELD_NAMES.map((name) => {
    const { of, path } = CATALOGUE_FIELDS[name];
    const others = COLUMN_NAMES[name].slice(1);
    const where = path === null ? '' : `\`${path}\` of the ${of}`;
    return [`\`${name}\``, where, others.join(', ')];
  });
  const head = ['column', 'field', 'other names'];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`;
  return [line(head), line(['', '', ''], '-'), ...rows.map((row) => line(row))]
    .map((text) => `${text}\n`)
    .join('');
}
