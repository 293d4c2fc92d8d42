import { CATALOGUE_FIELDS, type CatalogueField } from './table-fields.ts';

/** The values of rows by their columns, each with the line that gave it first. */
export type GivenValues = Map<CatalogueField, { value: unknown; line: number }>;

/** The value of a column as text; empty if there is none. */
export const textOf = (values: GivenValues, name: CatalogueField): string =>
  String(values.get(name)?.value ?? '');

type Values = Record<string, unknown>;

/** The values as a record, by the paths of their fields. */
export function recordOf(values: GivenValues): Values {
  const record: Values = {};
  for (const [name, { value }] of values) {
    const { path } = CATALOGUE_FIELDS[name];
    if (path === null) continue;
    const [outer = '', inner] = path.split('.');
    if (inner === undefined) record[outer] = value;
    else record[outer] = { ...(record[outer] as Values | undefined), [inner]: value };
  }
  return record;
}
