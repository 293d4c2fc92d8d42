import { NATIONAL } from '../../schemas/vocabulary.ts';
import { sql } from '../connection/read-pool.ts';
import type { Sql } from './json.ts';

/*
 * The conditions that lists have in common, over the aliases `endorsers e`, `elections l`, `contests c` and
 * `districts d`. AND joins the fields, OR the values of one field; an absent field matches everything.
 */

type Values = readonly string[] | undefined;

/** The choice of endorsers. */
export interface EndorserFilters {
  categories?: Values;
  /** Slugs. */
  endorsers?: Values;
  /** Home states: USPS codes, or the word national. */
  endorser_states?: Values;
}

/** The choice of elections. */
export interface ElectionFilters {
  /** Slugs. */
  elections?: Values;
  /** States that hold the election. */
  states?: Values;
  /** Only elections on or after this date, YYYY-MM-DD. */
  electionsFrom?: string | undefined;
}

/** The choice of contests in any election. */
export interface BallotFilters {
  contest_kinds?: Values;
  levels?: Values;
}

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

/** Whether one of these states is an endorser's home. A national endorser has no state. */
const isAtHomeIn = (states: readonly string[]): Sql =>
  sql.fragment`(${isOneOf(sql.fragment`e.state`, states)} OR ${states.includes(NATIONAL)} AND e.state IS NULL)`;

export function endorserConditions({ categories, endorsers, endorser_states }: EndorserFilters): Sql[] {
  return given([
    categories && isOneOf(sql.fragment`e.category`, categories),
    endorsers && isOneOf(sql.fragment`e.slug`, endorsers),
    endorser_states && isAtHomeIn(endorser_states),
  ]);
}

export function electionConditions({ elections, states, electionsFrom }: ElectionFilters): Sql[] {
  return given([
    elections && isOneOf(sql.fragment`l.slug`, elections),
    states && isOneOf(sql.fragment`l.state`, states),
    electionsFrom !== undefined && sql.fragment`l.date >= ${electionsFrom}::date`,
  ]);
}

export function ballotConditions({ contest_kinds, levels }: BallotFilters): Sql[] {
  return given([
    contest_kinds && isOneOf(sql.fragment`c.kind`, contest_kinds),
    levels && isOneOf(sql.fragment`d.level`, levels),
  ]);
}

export function contestConditions(filters: ContestFilters): Sql[] {
  return [...electionConditions(filters), ...ballotConditions(filters)];
}
