import { normalizeText } from '../../schemas/text.ts';
import { type FieldNames, mapColumns, readColumnMap } from '../tables/columns.ts';
import type { Table } from '../tables/read-table.ts';
import { TableError } from '../tables/table-error.ts';
import type { EndorserDraft } from './draft.ts';
import { slugOf } from './keys.ts';
import type { Notes } from './notes.ts';
import { readState } from './read-state.ts';

/** The columns of a table of endorsers, with their usual names, folded. */
const ENDORSER_COLUMNS = {
  name: ['name', 'endorser', 'endorser name', 'organization', 'organization name', 'newspaper', 'union'],
  slug: ['slug', 'endorser slug', 'endorser key'],
  category: ['category', 'category slug', 'endorser category', 'endorser type'],
  category_name: ['category name'],
  state: ['state', 'state code', 'home state'],
  description: ['description', 'about'],
  description_es: ['description es', 'description spanish', 'about es'],
  website_url: ['website url', 'website', 'web site', 'url', 'link'],
  logo_url: ['logo url', 'logo'],
} as const satisfies FieldNames<string>;

type EndorserColumn = keyof typeof ENDORSER_COLUMNS;

const TEXTS = ['description', 'description_es', 'website_url', 'logo_url'] as const;
const CATEGORY_SLUG = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;

/** The slug of a category by its slug or name. */
const categorySlugOf = (text: string) => (CATEGORY_SLUG.test(text) ? text : slugOf(text));

/**
 * Maps a table with a row for each endorser to records (docs/data-formats.md, "Endorsers from a table"). The slug of an
 * endorser comes from its name, unless a column has it. A category whose name the table gives is a record too.
 *
 * @param notes gets the columns that are not read
 * @param map `COLUMN=FIELD`
 * @throws TableError if the table has no column for the names, or the map cannot be used
 */
export async function* mapEndorsers(
  { header, rows }: Table,
  map: readonly string[],
  notes: Notes,
): AsyncGenerator<EndorserDraft> {
  const { places, unused } = mapColumns(header, ENDORSER_COLUMNS, readColumnMap(map, ENDORSER_COLUMNS));
  if (!places.has('name')) {
    throw new TableError(
      'The table has no column for the names of the endorsers: call it name, or give it with --map COLUMN=name.',
    );
  }
  for (const name of unused) notes.add('left out', 'columns of a table that hold no field', name);
  const categories = new Set<string>();
  for await (const row of rows) {
    if ('fault' in row) {
      const problems = [{ field: null, message: row.fault }];
      yield { kind: 'endorsers', line: row.line, problems, record: { slug: '' } };
      continue;
    }
    const cellOf = (column: EndorserColumn) => row.cells[places.get(column) ?? -1] ?? '';
    const read = (column: EndorserColumn) => normalizeText(cellOf(column));
    const name = read('name');
    const categoryName = read('category_name');
    const category = categorySlugOf(read('category') || categoryName);
    if (categoryName !== '' && !categories.has(category)) {
      categories.add(category);
      yield {
        kind: 'endorser-categories',
        line: row.line,
        problems: [],
        record: { slug: category, name: categoryName },
      };
    }
    const state = read('state');
    yield {
      kind: 'endorsers',
      line: row.line,
      problems: [],
      record: {
        slug: read('slug') || slugOf(name),
        name,
        ...(category !== '' && { category }),
        ...(state !== '' && { state: /^national$/i.test(state) ? 'national' : readState(state) }),
        // Their check gives each its own form: lines of a description stay.
        ...Object.fromEntries(
          TEXTS.filter((column) => read(column) !== '').map((column) => [column, cellOf(column)]),
        ),
      },
    };
  }
}
