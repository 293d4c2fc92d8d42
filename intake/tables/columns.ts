import { listSome } from '../matching/grade.ts';
import { foldText } from '../matching/words.ts';
import { TableError } from './table-error.ts';

/**
 * The fields of a kind of table, each with the folded names that its column can have. A field without names is one that
 * the service writes itself: its column has the field's own name.
 */
export type FieldNames<F extends string> = Readonly<Record<F, readonly string[]>>;

/** The columns of a table by field, and the others. */
export interface Columns<F extends string> {
  /** The place of a field's column, from 0. */
  places: ReadonlyMap<F, number>;
  /** The names of columns that hold no field. */
  unused: string[];
}

/** A person's settings of columns: the field of each named one, or null to leave it out. */
export type ColumnMap<F extends string> = ReadonlyMap<string, F | null>;

/** The folded name of a column: `CandidateName` has the words of "Candidate name", "Our pick" those of "Pick". */
export const foldName = (name: string): string =>
  foldText(name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')).replace(/^our /, '');

const nameOf = (name: string, at: number) => (name === '' ? `(column ${at + 1}, without a name)` : name);

/**
 * Reads `COLUMN=FIELD` options. `COLUMN=` leaves the column out.
 *
 * @throws TableError if an option has another form, or names an unknown field
 */
export function readColumnMap<F extends string>(
  options: readonly string[],
  fields: FieldNames<F>,
): ColumnMap<F> {
  const byName = namesOf(fields);
  return new Map(
    options.map((option) => {
      const at = option.lastIndexOf('=');
      const name = option.slice(at + 1).trim();
      if (at < 1) throw new TableError(`--map is "${option}"; it must be like --map "Race=contest".`);
      const field = byName.get(foldName(name)) ?? null;
      if (name !== '' && field === null) {
        throw new TableError(
          `--map "${option}" names the unknown field "${name}"; the fields are ${listFields(fields)}.`,
        );
      }
      return [option.slice(0, at).trim(), field];
    }),
  );
}

/** The fields by the names of their columns, and by their own. */
export function namesOf<F extends string>(fields: FieldNames<F>): ReadonlyMap<string, F> {
  const own = (Object.keys(fields) as F[]).map((field) => [foldText(field), field] as const);
  const usual = own.flatMap(([, field]) => fields[field].map((name) => [name, field] as const));
  return new Map([...usual, ...own]);
}

const listFields = <F extends string>(fields: FieldNames<F>): string =>
  (Object.keys(fields) as F[]).filter((field) => fields[field].length > 0).join(', ');

/**
 * Finds the column of each field, by the person's map or else by the usual names. A mapped column excludes others for
 * its field.
 *
 * @throws TableError if the map names a column that the table lacks, or if two columns are for one field
 */
export function mapColumns<F extends string>(
  header: readonly string[],
  fields: FieldNames<F>,
  map: ColumnMap<F> = new Map(),
): Columns<F> {
  const folded = header.map(foldName);
  const mapped = new Map<number, F | null>();
  for (const [name, field] of map) {
    const exact = header.indexOf(name);
    const at = exact >= 0 ? exact : folded.indexOf(foldName(name));
    if (at < 0) {
      throw new TableError(
        `--map names the column "${name}", and the table has ${listSome(header.map((each) => `"${each}"`))}.`,
        { problem: `The table has no column "${name}".` },
      );
    }
    mapped.set(at, field);
  }
  const byName = namesOf(fields);
  const taken = new Set(mapped.values());
  const places = new Map<F, number>();
  const unused: string[] = [];
  header.forEach((name, at) => {
    const usual = byName.get(folded[at] ?? '');
    const field = mapped.has(at) ? mapped.get(at) : usual !== undefined && !taken.has(usual) ? usual : null;
    if (field === null || field === undefined) {
      unused.push(nameOf(name, at));
      return;
    }
    const other = places.get(field);
    if (other !== undefined) {
      const names = [other, at].map((place) => `"${nameOf(header[place] ?? '', place)}"`);
      const problem = `The columns ${names.join(' and ')} both hold the ${field}`;
      throw new TableError(
        `${problem}: choose one with --map ${JSON.stringify(`${header[other]}=${field}`)}, ` +
          `or give each its own field; the fields are ${listFields(fields)}.`,
        { problem: `${problem}.` },
      );
    }
    places.set(field, at);
  });
  return { places, unused };
}
