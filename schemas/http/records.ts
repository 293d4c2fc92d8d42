import {
  CHANGE_TYPES,
  CONTEST_KINDS,
  ELECTION_TYPES,
  ENDORSER_STATES,
  LEVELS,
  PRIMARY_SYSTEMS,
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

const boolean: JsonSchema = { type: 'boolean' };
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

/** A choice (specification, "Choice"); `party_label` and `option` are there only where they apply. */
const choiceFields = objectOf({
  id: integer,
  label: text,
  measure_answer: measureAnswer,
  candidate,
  party: nullable(text),
  withdrawn: { type: 'boolean' },
  ballot_designation: nullable(text),
});
export const choice: JsonSchema = {
  ...choiceFields,
  properties: { ...choiceFields.properties, party_label: text, option: oneOf(['none_of_these']) },
};

/** The fields of a contest but for its choices (specification, "Contest"). */
const contestFields = {
  id: integer,
  title: text,
  short_title: text,
  description: nullable(text),
  kind: oneOf(CONTEST_KINDS),
  vote_method: oneOf(VOTE_METHODS),
  votes_allowed: nullable(integer),
  ranks_allowed: nullable(integer),
  measure_code: nullable(text),
  ballot_order: integer,
  source_url: nullable(text),
  district,
  election,
  details: {
    type: 'object',
    description:
      'Keys only where they apply: uncontested, nonpartisan, term, short_term, vote_required, majority_required, ' +
      'amount, runoff_date, elected_at_large, none_of_these, others, source_url.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** A contest with its choices, in ballot order. */
export const contest = objectOf({ ...contestFields, choices: listOf(choice) });

/** One contest, with every endorser's position in it. */
export const contestWithPositions = objectOf({
  ...contestFields,
  choices: listOf(choice),
  endorsements: listOf(
    objectOf({
      endorser,
      picks: listOf(
        objectOf({
          choice_id: integer,
          label: text,
          measure_answer: measureAnswer,
          rank: nullable(integer),
          statement: nullable(text),
          source_url: nullable(text),
          published_on: nullable(date),
        }),
      ),
    }),
  ),
});

/** One endorsement in full: its endorser, its contest without the choices, and its choice. */
export const fullEndorsement = objectOf({
  ...endorsementValues,
  updated_at: time,
  endorser,
  contest: objectOf(contestFields),
  choice,
});

/** An election in a list (specification, "Election"). */
export const listedElection = objectOf({
  id: integer,
  slug: text,
  name: text,
  short_name: nullable(text),
  date,
  state: oneOf(STATE_CODES),
  type: oneOf(ELECTION_TYPES),
  primary_system: nullable(oneOf(PRIMARY_SYSTEMS)),
  info_url: nullable(text),
  details: {
    type: 'object',
    description: 'Voting rules, null where unknown, and what else the source says.',
    properties: {
      all_mail: nullable(boolean),
      ranked_choice: nullable(boolean),
      fusion_voting: nullable(boolean),
      runoff_date: nullable(date),
    },
    required: ['all_mail', 'ranked_choice', 'fusion_voting', 'runoff_date'],
  },
  contest_count: integer,
  endorsement_count: integer,
});

/** An endorser category (specification, "Endorser category"). */
export const endorserCategory = objectOf({
  slug: text,
  name: text,
  singular_name: nullable(text),
  endorser_count: integer,
});

const endorserFields = {
  id: integer,
  slug: text,
  name: text,
  category: objectOf({ slug: text, name: text }),
  state: oneOf(ENDORSER_STATES),
  description: nullable(text),
  website_url: nullable(text),
  logo_url: nullable(text),
  endorsement_count: integer,
};

/** An endorser in a list (specification, "Endorser"). */
export const listedEndorser = objectOf(endorserFields);

/** One endorser, with the elections it has endorsed in, newest first, and in how many contests of each. */
export const endorserWithElections = objectOf({
  ...endorserFields,
  elections: listOf(objectOf({ election: text, name: text, date, contests: integer })),
});

/** What there is of a state (specification, "Coverage"). */
export const coverage = objectOf({
  state: oneOf(STATE_CODES),
  name: text,
  election_count: integer,
  contest_count: integer,
  measure_count: integer,
  endorser_count: integer,
  endorsement_count: integer,
  endorsed_contest_count: integer,
  first_election: nullable(date),
  last_election: nullable(date),
  updated_at: nullable(time),
});

/** What is said of a choice where it is endorsed. */
const pickedChoice = {
  id: integer,
  label: text,
  measure_answer: measureAnswer,
  candidate,
  party: nullable(text),
};

/** An endorsement in a list, with where it stands on the ballot. */
export const flatEndorsement = objectOf({
  ...endorsementValues,
  updated_at: time,
  endorser,
  contest: objectOf({ id: integer, title: text, short_title: text, kind: oneOf(CONTEST_KINDS), district }),
  election,
  choice: objectOf(pickedChoice),
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
  choice: objectOf({ ...pickedChoice, withdrawn: { type: 'boolean' } }),
});

/** A list that comes whole. */
export const wholeList = (record: JsonSchema) => objectOf({ data: listOf(record) });

/** A single resource. */
export const single = (record: JsonSchema) => objectOf({ data: record });

/** A page of a list; `next_cursor` is null on the last. */
export const page = (record: JsonSchema, extra: Readonly<Record<string, JsonSchema>> = {}) =>
  objectOf({ data: listOf(record), next_cursor: nullable(text), ...extra });
