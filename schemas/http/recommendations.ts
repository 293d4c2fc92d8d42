import { type Static, Type } from 'typebox';
import { CONTEST_KINDS, LEVELS, STATE_CODES } from '../vocabulary.ts';
import { boolean, integer, nullable, objectOf, oneOf, record, text } from './fields.ts';
import { flag, ids } from './parameter-types.ts';
import { contestFilters, positionFilters } from './parameters.ts';
import { choice, contest, electionFields, endorserSummary, pickFields, single } from './records.ts';

const { states, elections, levels, contest_kinds } = contestFilters;

/** The parameters of `GET /v1/recommendations`. Without a selection of endorsers, all of them count. */
export const recommendationParameters = {
  state: Type.With(states, {
    description:
      'States whose upcoming contests are wanted. Required unless election or contest is given; beside one of these ' +
      'it narrows them to contests of these states, past or upcoming.',
  }),
  election: Type.With(elections, { description: 'Election slugs, past or upcoming.' }),
  contest: ids('contest id', 'Contest ids, of past or upcoming elections.'),
  levels,
  contest_kinds,
  only_endorsed: flag('Leave out contests in which none of the chosen endorsers took a position.'),
  ...positionFilters,
};

/** A choice with the endorsers that back it. */
const recommendedChoice = record('RecommendedChoice', {
  ...choice.properties,
  endorsed_by: Type.Array(objectOf({ endorser: endorserSummary, ...pickFields })),
  endorsement_count: integer,
  first_choice_count: Type.Optional(
    Type.Integer({
      description:
        'Ranked choice only: how many endorsers have it first among the choices that stand, so that a withdrawn choice ' +
        'has 0. A pick without a rank is a first choice. The agreement counts the same first choices.',
    }),
  ),
});

/** What to mark in a contest (specification, "Recommendation"). */
const recommendation = record('Recommendation', {
  choice_ids: Type.Array(integer, {
    description:
      'The choices to mark, most-backed first, or the ranking. Every one has backers and is not withdrawn. The ranking ' +
      'is the order of repeated instant run-offs over the rankings of the endorsers, without withdrawn choices: the ' +
      'winner, then the winner among the rest, up to ranks_allowed. In each round a ranking counts for its best ' +
      'remaining choice. A choice with more than half of the rankings that still count wins; otherwise the one with ' +
      'fewest goes out. A tie for fewest is broken by the latest earlier round in which the tied differ, then by the ' +
      'number of endorsers that pick them at any rank. Those still tied go out together if all their votes are fewer ' +
      'than those of the next choice; otherwise the ranking ends.',
  }),
  endorser_count: Type.Integer({
    description: 'How many of the chosen endorsers took a position, by a pick of any choice.',
  }),
  agreement: Type.Enum(['unanimous', 'majority', 'plurality', 'split', 'none'], {
    type: 'string',
    description:
      'unanimous: every endorser that took a position is behind the recommendation; majority: more than half; ' +
      'plurality: half or less; split: positions, but nothing that leads; none: no position. Of several choices, the ' +
      'one with the fewest endorsers decides; of a ranking, the first choices of the choice that it begins with.',
  }),
});
export type Recommendation = Static<typeof recommendation>;

const recommendedContest = record('RecommendedContest', {
  ...contest.properties,
  choices: Type.Array(recommendedChoice, {
    description: 'Most-backed first; choices with equally many backers in ballot order.',
  }),
  recommendation,
});

/** The selection of contests, as it was asked for. */
const scope = objectOf({
  states: nullable(Type.Array(oneOf(STATE_CODES))),
  elections: nullable(Type.Array(text)),
  contests: nullable(Type.Array(integer)),
  levels: nullable(Type.Array(oneOf(LEVELS))),
  contest_kinds: nullable(Type.Array(oneOf(CONTEST_KINDS))),
  only_endorsed: nullable(boolean),
});

/** The selection of endorsers. */
const countedEndorsers = Type.Union(
  [
    Type.Literal('all'),
    objectOf({
      categories: nullable(Type.Array(text)),
      endorsers: nullable(Type.Array(text)),
      endorser_states: nullable(Type.Array(text)),
    }),
    objectOf({ subscription: objectOf({ id: integer, name: text }) }),
  ],
  { description: 'The endorsers counted: all, the filter that chooses them, or the subscription.' },
);

/** The Recommendations response (specification, "Recommendations response"). */
export const recommendations = single(
  objectOf({
    scope,
    endorsers: countedEndorsers,
    elections: Type.Array(
      record('RecommendedElection', { ...electionFields, contests: Type.Array(recommendedContest) }),
      {
        description:
          'By date, each with its contests: federal, then state, then local ones, in ballot order.',
      },
    ),
  }),
);
