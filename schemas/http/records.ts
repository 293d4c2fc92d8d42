import { type Static, type TProperties, type TSchema, Type } from 'typebox';
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
import { boolean, date, integer, nullable, objectOf, oneOf, record, text, time } from './fields.ts';

/** An error (specification, "Errors"). */
export const errorBody = record('Error', {
  error: objectOf({ code: text, message: text, request_id: text }),
});

/** A state (specification, "State"). */
export const state = record('State', { code: oneOf(STATE_CODES), fips: text, name: text });

/** The counts of a state (specification, "Coverage"). */
export const coverage = record('Coverage', {
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

/** An endorser category (specification, "Endorser category"). */
export const endorserCategory = record('EndorserCategory', {
  slug: text,
  name: text,
  singular_name: text,
  endorser_count: integer,
});

/** An endorser within another record. */
export const endorserSummary = record('EndorserSummary', {
  id: integer,
  slug: text,
  name: text,
  category: objectOf({ slug: text, name: text }),
  state: oneOf(ENDORSER_STATES),
});

/** An endorser in a list (specification, "Endorser"). */
export const endorser = record('Endorser', {
  ...endorserSummary.properties,
  description: nullable(text),
  website_url: nullable(text),
  logo_url: nullable(text),
  endorsement_count: integer,
});

/** One endorser, with the elections it has endorsed in, newest first, and the number of contests in each. */
export const endorserWithElections = record('EndorserWithElections', {
  ...endorser.properties,
  elections: Type.Array(objectOf({ election: text, name: text, date, contests: integer })),
});

/** An election within another record. */
const electionSummary = record('ElectionSummary', {
  id: integer,
  slug: text,
  name: text,
  date,
  state: oneOf(STATE_CODES),
  type: oneOf(ELECTION_TYPES),
});

/** The fields of an election, apart from its counts (specification, "Election"). */
export const electionFields = {
  ...electionSummary.properties,
  short_name: nullable(text),
  primary_system: nullable(oneOf(PRIMARY_SYSTEMS)),
  info_url: nullable(text),
  details: Type.Object(
    {
      all_mail: Type.Optional(boolean),
      ranked_choice: Type.Optional(boolean),
      fusion_voting: Type.Optional(boolean),
      runoff_date: Type.Optional(date),
    },
    { description: 'Voting rules, without those that the source does not state, and its other details.' },
  ),
};

/** An election in a list. */
export const election = record('Election', {
  ...electionFields,
  contest_count: integer,
  endorsement_count: integer,
});

/** A district (specification, "District"). */
const district = record('District', {
  id: integer,
  ocd_id: nullable(text),
  name: text,
  level: oneOf(LEVELS),
  type: text,
  state: nullable(oneOf(STATE_CODES)),
});

/** The fields of a choice that every record with a choice has. */
const choiceFields = {
  id: integer,
  label: text,
  measure_answer: nullable(oneOf(['yes', 'no'])),
  candidate: nullable(record('Candidate', { id: integer, full_name: text })),
  party: nullable(text),
};

/** A choice (specification, "Choice"); `party_label` and `option` are present only if they apply. */
export const choice = record('Choice', {
  ...choiceFields,
  withdrawn: boolean,
  ballot_designation: nullable(text),
  party_label: Type.Optional(text),
  option: Type.Optional(oneOf(['none_of_these'])),
});

/** The fields of a contest that every record with a contest has. */
const contestSummaryFields = { id: integer, title: text, short_title: text, kind: oneOf(CONTEST_KINDS) };

/** How a contest is voted. */
const votingFields = {
  vote_method: oneOf(VOTE_METHODS),
  votes_allowed: nullable(integer),
  ranks_allowed: nullable(integer),
  measure_code: nullable(text),
};

/** A contest without its choices (specification, "Contest"). */
const contestWithoutChoices = record('ContestWithoutChoices', {
  ...contestSummaryFields,
  ...votingFields,
  description: nullable(text),
  ballot_order: integer,
  source_url: nullable(text),
  district,
  election: electionSummary,
  details: Type.Object(
    {},
    {
      description:
        'Only the keys that apply: uncontested, nonpartisan, term, short_term, vote_required, majority_required, ' +
        'amount, runoff_date, elected_at_large, none_of_these, others, source_url.',
    },
  ),
});

/** A contest with its choices, in ballot order. */
export const contest = record('Contest', {
  ...contestWithoutChoices.properties,
  choices: Type.Array(choice),
});

/** An endorser's own words and rank for a choice. */
export const pickFields = {
  rank: nullable(integer),
  statement: nullable(text),
  source_url: nullable(text),
  published_on: nullable(date),
};

/** An endorser's picks in a contest (specification, "Position"). */
const position = record('Position', {
  endorser: endorserSummary,
  picks: Type.Array(
    objectOf({
      choice_id: integer,
      label: text,
      measure_answer: choiceFields.measure_answer,
      ...pickFields,
    }),
  ),
});

/** One contest, with every endorser's position in it. */
export const contestWithPositions = record('ContestWithPositions', {
  ...contest.properties,
  endorsements: Type.Array(position),
});

/** One endorsement in full (specification, "Endorsement"). */
export const endorsement = record('Endorsement', {
  id: integer,
  ...pickFields,
  updated_at: time,
  endorser: endorserSummary,
  contest: contestWithoutChoices,
  choice,
});

/** An endorsement in a list, with its place on the ballot. */
export const listedEndorsement = record('ListedEndorsement', {
  id: integer,
  ...pickFields,
  updated_at: time,
  endorser: endorserSummary,
  contest: objectOf({ ...contestSummaryFields, district }),
  election: electionSummary,
  choice: objectOf(choiceFields),
});

const { type: _, ...eventDistrict } = district.properties;

/** An event of the change stream (specification, "Event body"). */
export const event = record('Event', {
  id: text,
  type: oneOf(CHANGE_TYPES.map((type) => `endorsement.${type}` as const)),
  occurred_at: time,
  endorsement: objectOf({ id: integer, ...pickFields }),
  endorser: endorserSummary,
  contest: objectOf({ ...contestSummaryFields, ...votingFields, district: objectOf(eventDistrict) }),
  election: electionSummary,
  choice: objectOf({ ...choiceFields, withdrawn: boolean }),
});
export type Event = Static<typeof event>;

/** A single resource. */
export const single = <Schema extends TSchema>(schema: Schema) => objectOf({ data: schema });

/** A list that is not paged. */
export const wholeList = <Schema extends TSchema>(schema: Schema) => single(Type.Array(schema));

/** A page of a list; `next_cursor` is null on the last. */
export const page = (schema: TSchema, extra: TProperties = {}) =>
  objectOf({ data: Type.Array(schema), next_cursor: nullable(text), ...extra });
