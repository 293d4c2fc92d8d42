import type { TSchema } from 'typebox';
import { contestFields } from '../../../schemas/catalogue/contest-fields.ts';
import { electionFields } from '../../../schemas/catalogue/election.ts';
import { endorserCategoryFields, endorserFields } from '../../../schemas/catalogue/endorser.ts';
import { publishFileSchema } from '../../../schemas/http/submissions.ts';
import { submissionForms } from '../../../schemas/submission-files.ts';

/** The keywords of a file's JSON Schema that this reads. */
export interface FileSchema {
  title?: string;
  description?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, FileSchema>;
  items?: FileSchema;
  [keyword: string]: unknown;
}

/** The records of each file, by the word in its name. A line of endorsements has one of two forms. */
export const FILES: Record<string, FileSchema[]> = Object.fromEntries(
  Object.entries({
    elections: [electionFields],
    contests: [contestFields],
    'endorser-categories': [endorserCategoryFields],
    endorsers: [endorserFields],
    endorsements: [submissionForms.onePick, submissionForms.position],
  }).map(([file, forms]: [string, TSchema[]]) => [file, forms as FileSchema[]]),
);

/** The JSON Schema of a file's lines. */
export function createFileSchema(file: string): object {
  const [first, ...others] = (FILES[file] ?? []).map((form) => publishFileSchema(form) as object);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(others.length > 0 ? { anyOf: [first, ...others] } : first),
  };
}

interface Row {
  names: string[];
  required: string;
  value: string;
  meaning: string;
}

const isTranslation = (name: string, siblings: object) =>
  name.endsWith('_es') && Object.hasOwn(siblings, name.slice(0, -3));

/** The rows of a record's fields, and of the fields within them. */
function* rowsOf({ properties = {}, required = [] }: FileSchema, prefix = ''): Generator<Row> {
  for (const [name, field] of Object.entries(properties)) {
    if (isTranslation(name, properties)) continue;
    const names = [name, `${name}_es`].filter((each) => Object.hasOwn(properties, each));
    if (field.description === undefined) throw new Error(`The field ${prefix}${name} has no description.`);
    yield {
      names: names.map((each) => `\`${prefix}${each}\``),
      required: required.includes(name) ? 'yes' : '',
      value: field.title ?? '',
      meaning: field.description,
    };
    yield* rowsOf(field.items ?? field, `${prefix}${name}${field.items ? '[]' : ''}.`);
  }
}

/** A table of Markdown, aligned as the formatter aligns it. */
export function formatTable(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const [head = '', ...rows] = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows].join('\n');
}

/** The table of the fields of a form of a file. */
export function createTable(form: FileSchema): string {
  const rows = [...rowsOf(form)].map(({ names, required, value, meaning }) => [
    names.join(', '),
    required,
    value,
    meaning,
  ]);
  return formatTable([['field', 'required', 'value', 'meaning'], ...rows]);
}
