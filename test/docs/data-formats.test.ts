/** docs/data-formats.md and its JSON Schemas match the service. `UPDATE_DATA_FORMATS=1` writes them again. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { createDemo } from '../../ops/demo/generate.ts';
import { RULES } from '../../schemas/catalogue/contradictions.ts';
import { CATALOGUE_KINDS, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import { parseSubmission } from '../../schemas/submission-files.ts';
import { columnsTable } from '../helpers/docs/catalogue-columns.ts';
import { createFileSchema, createTable, FILES } from '../helpers/docs/data-formats.ts';

const PAGE = path.resolve('docs/data-formats.md');
const FOLDER = path.resolve('docs/data-formats');
const files = Object.keys(FILES);
const updating = process.env.UPDATE_DATA_FORMATS !== undefined;

/** The page with its tables made anew: each begins with a comment that names its file and, if it has several, its form. */
function renew(page: string): string {
  return page
    .replace(
      /(<!-- columns: catalogue -->\n\n)(?:\|.*\n)*/,
      (_, comment: string) => `${comment}${columnsTable()}`,
    )
    .replace(
      /(<!-- fields: ([a-z-]+)(?: ([0-9]))? -->\n\n)(?:\|.*\n)*/g,
      (_, comment: string, file: string, form = '1') => {
        const schema = FILES[file]?.[Number(form) - 1];
        if (!schema) throw new Error(`The page has a table of an unknown file: ${comment}`);
        return `${comment}${createTable(schema)}\n`;
      },
    );
}

test('the tables of the page have the fields of every file', async () => {
  const page = await readFile(PAGE, 'utf8');
  const made = renew(page);
  if (updating) await writeFile(PAGE, made);
  expect(made).toContain(columnsTable());
  for (const form of Object.values(FILES).flat()) expect(made).toContain(createTable(form));
  expect(await readFile(PAGE, 'utf8')).toBe(made);
});

test('the page has the rules that fields of a contest must agree with', async () => {
  const page = await readFile(PAGE, 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const [field, rule] of RULES.flatMap(({ says }) => Object.entries(says)))
    expect(rows).toContainEqual(['', `\`${field}\``, rule, '']);
});

test.each(files)('the JSON Schema of %s is that of the service', async (file) => {
  const name = path.join(FOLDER, `${file}.schema.json`);
  const made = `${JSON.stringify(createFileSchema(file), null, 2)}\n`;
  if (updating) await writeFile(name, made);
  expect(await readFile(name, 'utf8')).toBe(made);
});

test('there are no other JSON Schemas', async () => {
  expect((await readdir(FOLDER)).sort()).toEqual(files.map((file) => `${file}.schema.json`).sort());
});

describe('another program', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  ajvFormats.default(ajv);
  const validators = new Map(files.map((file) => [file, ajv.compile(createFileSchema(file))]));
  const problemsOf = (file: string, record: unknown) => {
    const validate = validators.get(file);
    return validate?.(record) ? [] : validate?.errors;
  };

  test('accepts what the service accepts, and refuses other fields, words and dates', () => {
    const demo = createDemo({ seed: 1, today: '2026-09-01', contests: 60, endorsers: 40, endorsements: 300 });
    const records = {
      elections: demo.elections(),
      contests: demo.contests(),
      endorsements: demo.submissions(),
    };
    const others = { 'endorser-categories': demo.categories(), endorsers: demo.endorsers() };
    for (const [file, lines] of Object.entries({ ...records, ...others })) {
      for (const record of lines) expect([file, problemsOf(file, record)]).toEqual([file, []]);
    }
    const [election] = [...demo.elections()];
    expect(problemsOf('elections', election)).toEqual([]);
    for (const wrong of [
      { naem: 'a' },
      { state: 'ZZ' },
      { date: '2026-02-30' },
      { info_url: 'ftp://a.example' },
    ]) {
      expect(problemsOf('elections', { ...election, ...wrong })).not.toEqual([]);
    }
  });

  test('and the service accept the examples of the page', async () => {
    const page = await readFile(PAGE, 'utf8');
    const seen: string[] = [];
    for (const [, file = '', text = ''] of page.matchAll(
      /<!-- example: ([a-z-]+) -->\n\n```json\n([^`]*)```/g,
    )) {
      // The formatter wraps an example of one line.
      for (const line of text.startsWith('{\n') ? [text] : text.trim().split('\n')) {
        seen.push(file);
        const record: unknown = JSON.parse(line);
        const kind = CATALOGUE_KINDS.find((each) => each === file);
        expect(kind ? parseCatalogueRecord(kind, record) : parseSubmission(record)).toMatchObject({
          ok: true,
        });
        expect(problemsOf(file, record)).toEqual([]);
      }
    }
    expect(new Set(seen)).toEqual(new Set(files));
  });
});
