import {
  CHANGE_TYPES,
  CONTEST_KINDS,
  ELECTION_TYPES,
  ENDORSER_STATES,
  LEVELS,
  STATE_CODES,
  VOTE_METHODS,
} from '../vocabulary.ts';
import {
  date,
  integer,
  type JsonSchema,
  listOf,
  nullable,
  objectOf,
  oneOf,
  text,
  time,
} from './json-schema.ts';

/** A state (specification, "State"). */
export const state = objectOf({ code: oneOf(STATE_CODES), fips: text, name: text });

const endorser = objectOf({
  id: integer,
  slug: text,
  name: text,
  category: objectOf({ slug: text, name: text }),
  state: oneOf(ENDORSER_STATES),
});

const election = objectOf({
  id: integer,
  slug: text,
  name: text,
  date,
  state: oneOf(STATE_CODES),
  type: oneOf(ELECTION_TYPES),
});

const candidate = nullable(objectOf({ id: integer, full_name: text }));
const measureAnswer = nullable(oneOf(['yes', 'no']));

const endorsementValues = {
  id: integer,
  rank: nullable(integer),
  statement: nullable(text),
  source_url: nullable(text),
  published_on: nullable(date),
};

/** A district (specification, "District"). */
const district = objectOf({
  id: integer,
  ocd_id: nullable(text),
  name: text,
  level: oneOf(LEVELS),
  type: text,
  state: nullable(oneOf(STATE_CODES)),
});

/** An endorsement in a list, with where it stands on the ballot. */
export const flatEndorsement = objectOf({
  ...endorsementValues,
  updated_at: time,
  endorser,
  contest: objectOf({ id: integer, title: text, short_title: text, kind: oneOf(CONTEST_KINDS), district }),
  election,
  choice: objectOf({
    id: integer,
    label: text,
    measure_answer: measureAnswer,
    candidate,
    party: nullable(text),
  }),
});

/** An event of the change stream (specification, "Event body"). */
export const event = objectOf({
  id: text,
  type: oneOf(CHANGE_TYPES.map((type) => `endorsement.${type}`)),
  occurred_at: time,
  endorsement: objectOf(endorsementValues),
  endorser,
  contest: objectOf({
    id: integer,
    title: text,
    short_title: text,
    kind: oneOf(CONTEST_KINDS),
    vote_method: oneOf(VOTE_METHODS),
    votes_allowed: nullable(integer),
    ranks_allowed: nullable(integer),
    measure_code: nullable(text),
    district: objectOf({
      id: integer,
      name: text,
      level: oneOf(LEVELS),
      ocd_id: nullable(text),
      state: nullable(oneOf(STATE_CODES)),
    }),
  }),
  election,
  choice: objectOf({
    id: integer,
    label: text,
    measure_answer: measureAnswer,
    candidate,
    party: nullable(text),
    withdrawn: { type: 'boolean' },
  }),
});

/** A list that comes whole. */
export const wholeList = (record: JsonSchema) => objectOf({ data: listOf(record) });

/** A page of a list; `next_cursor` is null on the last. */
export const page = (record: JsonSchema, extra: Readonly<Record<string, JsonSchema>> = {}) =>
  objectOf({ data: listOf(record), next_cursor: nullable(text), ...extra });
