import {
  CHANGE_TYPES,
  CONTEST_KINDS,
  ELECTION_TYPES,
  ENDORSER_STATES,
  LANGUAGES,
  LEVELS,
  STATE_CODES,
} from '../vocabulary.ts';
import type { JsonSchema } from './json-schema.ts';

/*
 * Query parameters, as JSON Schemas of the values that they are read into: a list is written comma-separated. The
 * `title` completes "must be …" in the message that refuses a value.
 */

/** Most values of one filter. */
const MAX_VALUES = 500;
const MAX_VALUE_LENGTH = 200;

const listOfWords = (words: readonly string[], what: string): JsonSchema & { type: 'array' } => ({
  type: 'array',
  title: `at most ${MAX_VALUES} ${what}, comma-separated`,
  items: { type: 'string', enum: words, title: `one of ${words.join(', ')}` },
  minItems: 1,
  maxItems: MAX_VALUES,
});

const listOfNames = (what: string): JsonSchema & { type: 'array' } => ({
  type: 'array',
  title: `at most ${MAX_VALUES} ${what}, comma-separated`,
  items: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_VALUE_LENGTH,
    title: `text of 1 to ${MAX_VALUE_LENGTH} characters`,
  },
  minItems: 1,
  maxItems: MAX_VALUES,
});

const wholeNumber = (min: number, max: number): JsonSchema & { type: 'integer' } => ({
  type: 'integer',
  minimum: min,
  maximum: max,
  title: `a whole number from ${min} to ${max}`,
});

const cursor: JsonSchema = {
  type: 'string',
  maxLength: 2000,
  title: 'a cursor of this service, at most 2000 characters',
};

const states = {
  ...listOfWords(STATE_CODES, 'USPS codes'),
  description: 'States in which the contest is voted.',
};
const elections = { ...listOfNames('election slugs'), description: 'Election slugs.' };
const levels = { ...listOfWords(LEVELS, 'levels'), description: 'District levels.' };
const contestKinds = { ...listOfWords(CONTEST_KINDS, 'contest kinds'), description: 'Kinds of contest.' };
const endorserStates = {
  ...listOfWords(ENDORSER_STATES, 'home states'),
  description: 'Home states of endorsers, or the word national.',
};
const categories = { ...listOfNames('category slugs'), description: 'Endorser category slugs.' };
const endorsers = { ...listOfNames('endorser slugs'), description: 'Endorser slugs.' };
const upcoming = {
  type: 'boolean',
  title: 'true or false',
  description: 'Only elections of yesterday (UTC) or later.',
} as const satisfies JsonSchema;

/** `lang`, accepted on data endpoints (specification, "Conventions"). */
export const lang = {
  type: 'string',
  enum: LANGUAGES,
  default: 'en',
  title: 'en or es',
  description: 'The language of ballot text; English where the state publishes no Spanish.',
} as const satisfies JsonSchema;

/** `limit` and `cursor` of paged lists (specification, "Limits"). */
export const paging = {
  limit: { ...wholeNumber(1, 500), default: 100, description: 'How many records a page has at most.' },
  cursor: { ...cursor, description: 'The next_cursor of the page before.' },
} as const satisfies Record<string, JsonSchema>;

/** A day of the calendar; there is no year 0. */
const day = {
  type: 'string',
  format: 'date',
  pattern: '^(?!0000)',
  title: 'a date such as 2026-11-03',
} as const;

/** The filters of `GET /v1/elections`. */
export const electionFilters = {
  states: { ...states, description: 'States that hold the election.' },
  types: { ...listOfWords(ELECTION_TYPES, 'election types'), description: 'Types of election.' },
  upcoming,
  from: { ...day, description: 'Only elections on or after this date.' },
  to: { ...day, description: 'Only elections on or before this date.' },
} as const satisfies Record<string, JsonSchema>;

/** The filters of `GET /v1/endorsers`. */
export const endorserFilters = {
  categories,
  states: endorserStates,
  elections: { ...elections, description: 'Election slugs: only endorsers with endorsements in them.' },
  q: {
    type: 'string',
    maxLength: MAX_VALUE_LENGTH,
    title: `text of 1 to ${MAX_VALUE_LENGTH} characters`,
    description: 'What the name contains, whatever the case and accents.',
  },
} as const satisfies Record<string, JsonSchema>;

/** The filters of `GET /v1/contests`. */
export const contestFilters = {
  elections,
  states,
  levels,
  contest_kinds: contestKinds,
  districts: { ...listOfNames('OCD division ids'), description: 'Districts, by OCD division id.' },
  upcoming,
} as const satisfies Record<string, JsonSchema>;

/** Which endorsers' positions a contest is shown with. */
export const positionFilters = {
  categories,
  endorsers,
  endorser_states: endorserStates,
} as const satisfies Record<string, JsonSchema>;

/** `upcoming` of `GET /v1/coverage`. */
export const upcomingByDefault = {
  ...upcoming,
  default: true,
  description: 'Only elections of yesterday (UTC) or later; false counts past elections too.',
} as const satisfies JsonSchema;

/** An id in a path. One that nobody has is not found, however long it is. */
export const id = { ...wholeNumber(1, 999_999_999_999_999), description: 'The id of the record.' };

/** A slug in a path. */
export const slug = {
  type: 'string',
  maxLength: MAX_VALUE_LENGTH,
  title: `a slug of at most ${MAX_VALUE_LENGTH} characters`,
  description: 'The slug of the record.',
} as const satisfies JsonSchema;

/** What endorsements and their changes are chosen by alike. */
const endorsementFields = {
  categories,
  endorsers,
  endorser_states: endorserStates,
  states,
  elections,
  contest_kinds: contestKinds,
  levels,
} as const satisfies Record<string, JsonSchema>;

/** The filters of `GET /v1/endorsements`. */
export const endorsementFilters = {
  ...endorsementFields,
  contest: { ...wholeNumber(1, 2_147_483_647), description: 'A contest id.' },
  upcoming,
} as const satisfies Record<string, JsonSchema>;

/** The filter fields of the change stream (specification, "Filter"). */
export const streamFilters = {
  ...endorsementFields,
  types: { ...listOfWords(CHANGE_TYPES, 'change types'), description: 'Types of change.' },
} as const satisfies Record<string, JsonSchema>;

/** Where a reader of the stream begins. */
export const streamStart = {
  cursor: { ...cursor, description: 'Resume after this position: a next_cursor, or an event id.' },
  from: {
    type: 'string',
    enum: ['latest', 'earliest'],
    title: 'latest or earliest',
    description:
      'Where to begin without a cursor: latest, the default, or the oldest event within retention.',
  },
  since: {
    type: 'string',
    format: 'date-time',
    title: 'a time with its offset from UTC, such as 2026-11-03T00:00:00Z (+ is written %2B)',
    description: 'Begin with changes from this time on, within retention.',
  },
} as const satisfies Record<string, JsonSchema>;

/** The parameters of `GET /v1/events` alone. */
export const polling = {
  limit: { ...wholeNumber(1, 1000), default: 100, description: 'How many events an answer has at most.' },
  wait: {
    ...wholeNumber(0, 25),
    default: 0,
    description: 'Seconds to hold the request until a matching change arrives.',
  },
} as const satisfies Record<string, JsonSchema>;

/** A saved subscription, instead of filter parameters. */
export const subscription = {
  type: 'string',
  maxLength: 100,
  title: 'the id or name of a subscription, at most 100 characters',
  description: 'A saved subscription, by id or name, instead of filter parameters.',
} as const satisfies JsonSchema;
