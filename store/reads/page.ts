import { z } from 'zod';
import type { PageState } from '../../schemas/page-cursor.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { allOf, given } from './conditions.ts';
import type { Sql } from './json.ts';
import { PLANNED_FOR_VALUES, prepareRepeated } from './prepare.ts';

/** The most bytes of the records of a page, besides the last of them. */
const MAX_PAGE_BYTES = sql.literalValue(String(4 * 1024 * 1024));

/** A page of a list. */
export interface Page {
  /** The records, as the items of a JSON list. */
  items: string;
  /** The sort keys of the last record; null on an empty page. */
  last: PageState | null;
  hasMore: boolean;
}

export interface PageQuery {
  /** The JSON of a record. */
  record: Sql;
  /** The tables and joins that follow FROM. */
  from: Sql;
  where: Sql;
  /** The sort keys. Together they are unique, and none is null. */
  keys: readonly Sql[];
  limit: number;
  /** Whether filters choose the records. Then each page is planned for its values; otherwise one plan serves all. */
  isFiltered: boolean;
}

/** The columns of a page. */
export const pageRow = z.object({
  items: z.string(),
  last: z.array(z.union([z.string(), z.number(), z.null()])).nullable(),
  hasMore: z.boolean(),
});

/**
 * SQL of a number of records. If one plan serves all pages, the number is part of the text: a plan for any
 * number would expect a tenth of the table.
 */
export function sizeOf(records: number, isFiltered: boolean): Sql {
  return isFiltered ? sql.fragment`${records}::bigint` : sql.literalValue(String(records));
}

/**
 * SQL of a page as one row: `items`, `last`, `"hasMore"`. The page has fewer records than asked for if these have more
 * than `MAX_PAGE_BYTES`, but at least one. `where` includes the beginning of the page: it
 * compares the keys with those of the last record before, which costs the same at any depth.
 */
export function pageOf({ record, from, where, keys, limit, isFiltered }: PageQuery): Sql {
  const size = sizeOf(limit, isFiltered);
  const order = sql.join([...keys], sql.fragment`, `);
  return sql.fragment`
    SELECT COALESCE(string_agg(record, ',' ORDER BY place) FILTER (WHERE fits), '') AS items,
      (array_agg(key ORDER BY place) FILTER (WHERE fits))[count(*) FILTER (WHERE fits)] AS last,
      count(*) > count(*) FILTER (WHERE fits) AS "hasMore"
    FROM (
      SELECT *, place <= ${size} AND sum(octet_length(record)) OVER (ORDER BY place) - octet_length(record)
        < ${MAX_PAGE_BYTES} AS fits
      FROM (
        SELECT row_number() OVER (ORDER BY ${order}) AS place, json_build_array(${order}) AS key, ${record}::text AS record
        FROM ${from}
        WHERE ${allOf(given([where, isFiltered && PLANNED_FOR_VALUES]))}
        ORDER BY ${order}
        LIMIT ${sizeOf(limit + 1, isFiltered)}) AS found) AS measured`;
}

/** Loads a page of a list. */
export async function loadPage(pool: DatabasePool, query: PageQuery): Promise<Page> {
  return pool.one(prepareRepeated(pool, sql.type(pageRow)`${pageOf(query)}`));
}
