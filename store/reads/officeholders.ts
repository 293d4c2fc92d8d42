import { z } from 'zod';
import type { PageState } from '../../schemas/page-cursor.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { allOf, isAnyGiven, isNamed, isOneOf } from './conditions.ts';
import { columns, jsonObject, type Sql } from './json.ts';
import { type Page, pageOf, pageRow } from './page.ts';
import { prepareRepeated } from './prepare.ts';

/** Filters of a list of officeholders. Fields combine with AND, values with OR; absent fields match everything. */
interface OfficeholderFilters {
  states?: readonly string[] | undefined;
  offices?: readonly string[] | undefined;
  levels?: readonly string[] | undefined;
  /** Open Civic Data division ids. */
  districts?: readonly string[] | undefined;
  /** Part of a name. */
  q?: string | undefined;
}

export interface OfficeholderQuery {
  filters: OfficeholderFilters;
  /** The sort keys (name_order, person's id) after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

const loadedPageRow = pageRow.extend({ loaded: z.boolean() });
const loadedRecordRow = z.object({ record: z.string().nullable(), loaded: z.boolean() });

/** Whether officeholders have been loaded. */
const isLoaded: Sql = sql.fragment`EXISTS (SELECT FROM officeholder_load)`;

/** The condition on a seat `s`; undefined if every seat matches. */
function seatCondition({ states, offices, levels, districts }: OfficeholderFilters): Sql | undefined {
  const conditions = [
    states && isOneOf(sql.fragment`s.state`, states),
    offices && isOneOf(sql.fragment`s.office`, offices),
    levels && isOneOf(sql.fragment`s.level`, levels),
    districts && isOneOf(sql.fragment`s.district_ocd_id`, districts),
  ];
  return conditions.some((condition) => condition !== undefined) ? allOf(conditions) : undefined;
}

/**
 * The id of a seat's contest district: of the same division, level and kind. Other kinds share divisions: a
 * state's only seat in the U.S. House and its senators have the whole state as their district. Only the D.C.
 * Council has seats at the city's level, which a ward or the whole city elects. Redrawn lines do not change
 * ids.
 */
const districtId: Sql = sql.fragment`(
  SELECT d.id FROM districts d
  WHERE d.ocd_id = s.district_ocd_id AND d.level = s.level AND CASE s.office
      WHEN 'us_representative' THEN d.type = 'congressional_district'
      WHEN 'state_senator' THEN d.type = 'state_upper'
      WHEN 'state_legislator' THEN d.type = 'state_upper'
      WHEN 'state_representative' THEN d.type = 'state_lower'
      WHEN 'city_council' THEN true
      ELSE d.type = 'statewide' END
  ORDER BY d.type <> 'council_district', d.id
  LIMIT 1)`;

/** The fields of a seat `s`. */
const officeFields: Readonly<Record<string, Sql>> = {
  ...columns('s', ['office', 'office_title', 'level', 'state', 'district', 'district_ocd_id']),
  district_id: districtId,
  term: jsonObject({ start: sql.fragment`s.term_start`, end: sql.fragment`s.term_end` }),
};

/** The fields of a seat `s` as a record of its own. */
const seatFields: Readonly<Record<string, Sql>> = {
  ...officeFields,
  ...columns('s', ['term_start', 'term_end']),
};

/** The JSON list of all seats `s` that a person `h` holds, each with these fields, the highest first. */
const listSeats = (fields: Readonly<Record<string, Sql>>): Sql => sql.fragment`(
  SELECT json_agg(${jsonObject(fields)} ORDER BY s.rank) FROM officeholder_seats s WHERE s.person_id = h.person_id)`;

/** The fields of a person `h` with the seat `s`. */
const personFields: Readonly<Record<string, Sql>> = {
  ...columns('h', ['person_id', 'name', 'given_name', 'family_name']),
  ...seatFields,
  ...columns('h', ['party', 'party_abbreviation', 'phone', 'email']),
  website: sql.fragment`h.website_url`,
  website_url: sql.fragment`h.website_url`,
  photo: sql.fragment`h.image_url`,
  image_url: sql.fragment`h.image_url`,
  offices: listSeats(officeFields),
  // The source calls the column's content addresses.
  addresses: sql.fragment`h.offices`,
  ...columns('h', ['social', 'source_urls']),
  updated_at: sql.fragment`iso_utc(h.updated_at)`,
};

/**
 * A page of officeholders by name. A record is one person with the first matching seat (specification, "GET
 * /v1/officeholders"): a filter by the office of governor shows a person as governor.
 *
 * @returns null before the first load.
 */
export async function listOfficeholders(
  pool: DatabasePool,
  { filters, after, limit }: OfficeholderQuery,
): Promise<Page | null> {
  const wanted = seatCondition(filters);
  const { q } = filters;
  const page = pageOf({
    record: jsonObject(personFields),
    from: sql.fragment`officeholders h CROSS JOIN LATERAL (
      SELECT * FROM officeholder_seats s
      WHERE s.person_id = h.person_id AND ${wanted ?? sql.fragment`true`} ORDER BY s.rank LIMIT 1) AS s`,
    where: allOf([
      // Repeats the join's condition, so that the planner can begin with the few matching seats.
      wanted && sql.fragment`h.person_id IN (SELECT s.person_id FROM officeholder_seats s WHERE ${wanted})`,
      q !== undefined && isNamed(sql.fragment`h`, q),
      after !== null &&
        sql.fragment`(h.name_order, h.person_id) > (${after[0] ?? null}, ${after[1] ?? null}::uuid)`,
    ]),
    keys: [sql.fragment`h.name_order`, sql.fragment`h.person_id`],
    limit,
    isFiltered: isAnyGiven(filters),
  });
  const { loaded, ...found } = await pool.one(
    prepareRepeated(
      pool,
      sql.type(loadedPageRow)`SELECT page.*, ${isLoaded} AS loaded FROM (${page}) AS page`,
    ),
  );
  return loaded ? found : null;
}

/**
 * The JSON of one officeholder, with the highest seat and with all seats (specification, "GET
 * /v1/officeholders/{id}").
 *
 * @returns null before the first load; a null record if the person does not exist.
 */
export async function findOfficeholder(
  pool: DatabasePool,
  personId: string,
): Promise<{ record: string | null } | null> {
  const { record, loaded } = await pool.one(sql.prepared('officeholder', loadedRecordRow)`
    SELECT ${isLoaded} AS loaded, (
      SELECT ${jsonObject({ ...personFields, seats: listSeats(seatFields) })}::text
      FROM officeholders h JOIN officeholder_seats s ON s.person_id = h.person_id AND s.rank = 1
      WHERE h.person_id = ${personId}::uuid) AS record`);
  return loaded ? { record } : null;
}
