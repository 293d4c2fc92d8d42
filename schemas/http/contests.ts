import { Type } from 'typebox';
import { electionSummary } from './elections.ts';
import { endorserSummary } from './endorsers.ts';
import { contestKind, level, measureAnswer, stateCode, voteMethod } from './enumerations.ts';
import {
  boolean,
  count,
  date,
  described,
  integer,
  named,
  nullable,
  record,
  recordId,
  text,
} from './fields.ts';

/** The fields of a district in every record with a district. */
const districtFields = {
  id: recordId,
  ocd_id: described(nullable(text), 'The Open Civic Data division id; null without one.'),
  name: described(text, 'The name, in the requested language.'),
  level,
  state: described(nullable(stateCode), 'The state; null for the whole nation.'),
};

/** A district within an event of the stream. */
const eventDistrict = record('EventDistrict', 'A district, as events carry it.', districtFields);

/** A district (specification, "District"). */
const district = record('District', 'The area whose voters vote in a contest.', {
  ...districtFields,
  type: described(text, 'The type of the district in the words of the source, such as `council`.'),
});

const candidate = record('Candidate', 'A person on the ballot.', {
  id: recordId,
  full_name: described(text, 'The name, as the ballot prints it.'),
});

/** The fields of a choice in every record with a choice. */
const choiceFields = {
  id: recordId,
  label: described(text, 'The text of the choice on the ballot.'),
  measure_answer: described(nullable(measureAnswer), 'Null for a choice that is not an answer.'),
  candidate: described(nullable(candidate), 'Null for a choice that is not a person.'),
  party: described(nullable(text), 'The party of the candidate; null without one.'),
};

const withdrawn = described(
  boolean,
  'The choice is on the ballot but no longer stands. It is never recommended.',
);

/** A choice within an endorsement in a list. */
export const choiceSummary = record(
  'ChoiceSummary',
  'A choice, as endorsements in a list carry it.',
  choiceFields,
);

/** A choice within an event of the stream. */
export const eventChoice = record('EventChoice', 'A choice, as events carry it.', {
  ...choiceFields,
  withdrawn,
});

/** A choice (specification, "Choice"); `party_label` and `option` are present only if they apply. */
export const choice = record('Choice', 'A choice of a contest.', {
  ...choiceFields,
  withdrawn,
  ballot_designation: described(
    nullable(text),
    'The occupation or title that the ballot prints with the name.',
  ),
  party_label: Type.Optional(
    described(text, 'The party as the ballot prints it. Only if the ballot prints one.'),
  ),
  option: Type.Optional(
    Type.Enum(['none_of_these'], {
      type: 'string',
      description: 'Only on the choice of none of these candidates.',
    }),
  ),
});

/** The fields of a contest in every record with a contest. */
const contestSummaryFields = {
  id: recordId,
  title: described(text, 'The title on the ballot.'),
  short_title: described(text, 'A shorter title, for lists.'),
  kind: contestKind,
};

/** The voting rules of a contest. */
const votingFields = {
  vote_method: voteMethod,
  votes_allowed: described(
    nullable(integer),
    'The most choices that a voter may mark; null if the source does not say.',
  ),
  ranks_allowed: described(
    nullable(integer),
    'The most ranks that a voter may give; null for contests without ranks.',
  ),
  measure_code: described(nullable(text), 'The letter or number of a measure; null without one.'),
};

/** A contest within an endorsement in a list. */
export const contestSummary = record('ContestSummary', 'A contest, as endorsements in a list carry it.', {
  ...contestSummaryFields,
  district,
});

/** A contest within an event of the stream. */
export const eventContest = record('EventContest', 'A contest, as events carry it.', {
  ...contestSummaryFields,
  ...votingFields,
  district: eventDistrict,
});

const contestDetails = named(
  'ContestDetails',
  'More about the contest. Only the keys that apply are present: uncontested, nonpartisan, term, short_term, ' +
    'vote_required, majority_required, amount, runoff_date, elected_at_large, none_of_these, others and source_url. ' +
    'Other details of the source can be present.',
  Type.Object({}, { additionalProperties: true }),
);

/** A contest without its choices (specification, "Contest"). */
export const contestWithoutChoices = record(
  'ContestWithoutChoices',
  'A contest without its choices, as an endorsement carries it.',
  {
    ...contestSummaryFields,
    ...votingFields,
    description: described(nullable(text), 'The text or the question of a measure; null for other contests.'),
    ballot_order: described(integer, 'The place of the contest among those of its election.'),
    source_url: described(nullable(text), 'The official source.'),
    district,
    election: electionSummary,
    details: contestDetails,
  },
);

/** A contest with its choices, in ballot order. */
export const contest = record('Contest', 'A contest with its choices and voting rules.', {
  ...contestWithoutChoices.properties,
  choices: Type.Array(choice, { description: 'In ballot order.' }),
});

/** An endorser's own words and rank for a choice. */
export const pickFields = {
  rank: described(
    nullable(integer),
    '1, 2, 3… for ranked choice; null otherwise, or if the endorser gave none.',
  ),
  statement: described(nullable(text), "The endorser's own words."),
  source_url: described(nullable(text), 'The page on which the endorser published it.'),
  published_on: described(nullable(date), 'The day on which the endorser published it.'),
};

const pick = record('Pick', 'A choice that an endorser endorses.', {
  choice_id: described(recordId, 'The id of the choice, which is among the choices of the contest.'),
  label: described(text, 'The text of the choice on the ballot.'),
  measure_answer: choiceFields.measure_answer,
  ...pickFields,
});

/** An endorser's picks in a contest (specification, "Position"). */
const position = record('Position', 'The picks of an endorser in a contest.', {
  endorser: endorserSummary,
  picks: Type.Array(pick, { description: 'In the order of ranks, without ranks in ballot order.' }),
});

/** One contest, with every endorser's position. */
export const contestWithPositions = record(
  'ContestWithPositions',
  'A contest, with the position of every endorser in it.',
  {
    ...contest.properties,
    endorsements: Type.Array(position, {
      description: 'By the name of the endorser. An endorser that is not here has taken no position.',
    }),
  },
);

/** A choice of a recommendation, with its endorsers. */
export const recommendedChoice = record('RecommendedChoice', 'A choice with the endorsers that back it.', {
  ...choice.properties,
  endorsed_by: Type.Array(
    record('Backer', 'An endorser that backs a choice.', { endorser: endorserSummary, ...pickFields }),
    { description: 'Every one of the chosen endorsers that backs the choice.' },
  ),
  endorsement_count: described(count, 'How many of the chosen endorsers back the choice.'),
  first_choice_count: Type.Optional(
    described(
      count,
      'Ranked choice only: how many endorsers have it first among the choices that stand, so that a withdrawn choice ' +
        'has 0. A pick without a rank is a first choice. The agreement counts the same first choices.',
    ),
  ),
});
