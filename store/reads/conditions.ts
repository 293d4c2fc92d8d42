import {
  FACET_FIELDS,
  FACET_PATHS,
  type FacetField,
  type FieldOf,
  NATIONAL,
} from '../../schemas/vocabulary.ts';
import { sql } from '../connection/read-pool.ts';
import type { Sql } from './json.ts';

/*
 * The conditions that lists have in common, over the aliases `endorsers e`, `elections l`, `contests c` and
 * `districts d`. AND joins the fields, OR the values of one field; an absent field matches everything.
 */

type Filters<Field extends FacetField> = { readonly [Name in Field]?: readonly string[] | undefined };

/** The choice of endorsers. */
export type EndorserFilters = Filters<FieldOf<'endorser'>>;

/** The choice of elections. */
export interface ElectionFilters extends Filters<FieldOf<'election'>> {
  /** Only elections on or after this date, YYYY-MM-DD. */
  electionsFrom?: string | undefined;
}

/** The choice of contests in any election. */
type BallotFilters = Filters<FieldOf<'contest'>>;

/** The choice of contests and of their elections. */
export type ContestFilters = ElectionFilters & BallotFilters;

/** A condition; falsy if its filter is absent. */
type Condition = Sql | false | undefined;

/** The conditions that are present. */
export function given(conditions: readonly Condition[]): Sql[] {
  return conditions.filter((condition) => condition !== undefined && condition !== false);
}

/** Whether any of these filters is present. */
export function isAnyGiven(filters: object): boolean {
  return Object.values(filters).some((filter) => filter !== undefined);
}

/** The present conditions joined by AND; true if there are none. */
export function allOf(conditions: readonly Condition[]): Sql {
  const present = given(conditions);
  return present.length === 0 ? sql.fragment`true` : sql.fragment`${sql.join(present, sql.fragment` AND `)}`;
}

/** Whether a text column has one of these values. */
export function isOneOf(column: Sql, values: readonly string[]): Sql {
  return sql.fragment`${column} = ANY(${sql.array([...values], 'text')})`;
}

/**
 * Whether the name of `named` contains a text as people type it. A text that searches ignore, such as an apostrophe, is
 * sought as lists order it. The subqueries fold the text once instead of once for each name.
 */
export function isNamed(named: Sql, text: string): Sql {
  return sql.fragment`CASE (SELECT name_search(${text}))
    WHEN '' THEN position((SELECT name_order(${text})) IN ${named}.name_order)
    ELSE position((SELECT name_search(${text})) IN ${named}.name_search) END > 0`;
}

/** Whether one of these states is an endorser's home. A national endorser has no state. */
const isAtHomeIn = (states: readonly string[]): Sql =>
  sql.fragment`(${isOneOf(sql.fragment`e.state`, states)} OR ${states.includes(NATIONAL)} AND e.state IS NULL)`;

const CONDITIONS: Record<FacetField, (values: readonly string[]) => Sql> = {
  categories: (values) => isOneOf(sql.fragment`e.category`, values),
  endorsers: (values) => isOneOf(sql.fragment`e.slug`, values),
  endorser_states: isAtHomeIn,
  elections: (values) => isOneOf(sql.fragment`l.slug`, values),
  states: (values) => isOneOf(sql.fragment`l.state`, values),
  contest_kinds: (values) => isOneOf(sql.fragment`c.kind`, values),
  levels: (values) => isOneOf(sql.fragment`d.level`, values),
};

/** The conditions of the fields of one part. Other filters are passed over. */
function conditionsOn(part: 'endorser' | 'election' | 'contest', filters: Filters<FacetField>): Sql[] {
  return FACET_FIELDS.filter((field) => FACET_PATHS[field][0] === part).flatMap((field) => {
    const values = filters[field];
    return values === undefined ? [] : [CONDITIONS[field](values)];
  });
}

export function endorserConditions(filters: EndorserFilters): Sql[] {
  return conditionsOn('endorser', filters);
}

export function electionConditions({ electionsFrom, ...filters }: ElectionFilters): Sql[] {
  const conditions = conditionsOn('election', filters);
  return electionsFrom === undefined
    ? conditions
    : [...conditions, sql.fragment`l.date >= ${electionsFrom}::date`];
}

export function ballotConditions(filters: BallotFilters): Sql[] {
  return conditionsOn('contest', filters);
}
