import { z } from 'zod';
import { LANGUAGES, type Language } from '../../schemas/vocabulary.ts';
import { sql } from '../connection/read-pool.ts';

/** A piece of SQL. */
export type Sql = ReturnType<typeof sql.fragment>;

/** Builds SQL once per language: a record has some hundred pieces, and building it takes longer than querying. */
export function inEachLanguage<T>(make: (lang: Language) => T): (lang: Language) => T {
  const made = new Map(LANGUAGES.map((lang) => [lang, make(lang)]));
  return (lang) => made.get(lang) as T;
}

/** The row of a query for the JSON of a record. */
export const recordRow = z.object({ record: z.string() });

/** The row of a query for the items of a JSON list. */
export const itemsRow = z.object({ items: z.string() });

/**
 * SQL of a JSON object with these fields. Postgres renders records as text without spaces, and the gateway
 * sends them unparsed.
 */
export function jsonObject(fields: Readonly<Record<string, Sql>>): Sql {
  const columns = Object.entries(fields).map(
    ([name, value]) => sql.fragment`${value} AS ${sql.identifier([name])}`,
  );
  return sql.fragment`(SELECT to_json(o) FROM (SELECT ${sql.join(columns, sql.fragment`, `)}) AS o)`;
}

/** Columns of a table under their own names: `columns('c', ['id', 'title'])`. */
export function columns<const Name extends string>(table: string, names: readonly Name[]): Record<Name, Sql> {
  const entries = names.map((name) => [name, sql.fragment`${sql.identifier([table, name])}`]);
  return Object.fromEntries(entries) as Record<Name, Sql>;
}

/** Like `columns`, in the given language, or in English if a text has no translation or an empty one. */
export function localized<const Name extends string>(
  table: string,
  names: readonly Name[],
  lang: Language,
): Record<Name, Sql> {
  if (lang === 'en') return columns(table, names);
  const entries = names.map((name) => [
    name,
    sql.fragment`COALESCE(NULLIF(${sql.identifier([table, `${name}_es`])}, ''), ${sql.identifier([table, name])})`,
  ]);
  return Object.fromEntries(entries) as Record<Name, Sql>;
}
