import { CATALOGUE_FIELDS, COLUMN_NAMES, FIELD_NAMES } from '../../../intake/catalogue/table-fields.ts';
import { formatTable } from './data-formats.ts';

/** The table of the columns of catalogue tables, in Markdown. */
export function columnsTable(): string {
  const rows = FIELD_NAMES.map((name) => {
    const { of, path } = CATALOGUE_FIELDS[name];
    const where = path === null ? '' : `\`${path}\` of the ${of}`;
    return [`\`${name}\``, where, COLUMN_NAMES[name].slice(1).join(', ')];
  });
  return `${formatTable([['column', 'field', 'other names'], ...rows])}\n`;
}
