/** docs/data-formats.md has the columns of a table of endorsements. `UPDATE_DATA_FORMATS=1` writes them again. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ENDORSEMENT_FIELDS, REVIEW_FIELDS } from '../../intake/endorsements/fields.ts';
import { formatTable } from '../helpers/docs/data-formats.ts';

const PAGE = path.resolve('docs/data-formats.md');
const TABLE = /(<!-- columns: endorsements -->\n\n)(?:\|.*\n)*/;

function createTable(): string {
  const review: readonly string[] = REVIEW_FIELDS;
  const rows = Object.entries(ENDORSEMENT_FIELDS)
    .filter(([field]) => !review.includes(field))
    .map(([field, names]) => [`\`${field}\``, names.join(', ')]);
  return `${formatTable([['field', 'usual names of its column'], ...rows])}\n`;
}

test('the page has the fields of a table and the usual names of their columns', async () => {
  const page = await readFile(PAGE, 'utf8');
  const made = page.replace(TABLE, (_, comment: string) => `${comment}${createTable()}`);
  if (process.env.UPDATE_DATA_FORMATS !== undefined) await writeFile(PAGE, made);
  expect(made).toContain(createTable());
  expect(await readFile(PAGE, 'utf8')).toBe(made);
});

test('each name is for one field', () => {
  const names = Object.values(ENDORSEMENT_FIELDS).flat();
  expect(new Set(names).size).toBe(names.length);
});
