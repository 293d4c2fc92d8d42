import { type Static, Type } from 'typebox';
import { contest, recommendedChoice } from './contests.ts';
import { electionFields } from './elections.ts';
import { contestKind, endorserState, level, stateCode } from './enumerations.ts';
import { single } from './envelopes.ts';
import { boolean, count, described, enumeration, named, nullable, record, recordId, text } from './fields.ts';
import { flag, ids } from './parameter-types.ts';
import { contestFilters, positionFilters } from './parameters.ts';

const { states, elections, levels, contest_kinds } = contestFilters;

/** The parameters of `GET /v1/recommendations`. Without a selection of endorsers, all of them count. */
export const recommendationParameters = {
  state: Type.With(states, {
    description:
      'States whose upcoming contests are wanted. Required unless election or contest is given; together with one ' +
      'of these, it keeps only their contests in these states, past or upcoming.',
  }),
  election: Type.With(elections, { description: 'Election slugs, past or upcoming.' }),
  contest: ids('contest id', 'Contest ids, of past or upcoming elections.'),
  levels,
  contest_kinds,
  only_endorsed: flag('Leave out contests in which none of the chosen endorsers took a position.'),
  ...positionFilters,
};

const agreement = enumeration(
  'Agreement',
  'unanimous: every endorser that took a position is behind the recommendation; majority: more than half; ' +
    'plurality: half or less; split: positions, but nothing that leads; none: no position. Of several choices, the ' +
    'one with the fewest endorsers decides; of a ranking, the first choices of the choice that it begins with.',
  ['unanimous', 'majority', 'plurality', 'split', 'none'],
);

/** The recommendation for a contest (specification, "Recommendation"). */
const recommendation = record(
  'Recommendation',
  'The choices to mark in a contest, according to the chosen endorsers.',
  {
    choice_ids: Type.Array(recordId, {
      description:
        'The choices to mark, most-backed first, or the ranking. Every one has backers and is not withdrawn. Choices with ' +
        'the same candidate are lines of one contender: its backers count once, it takes one seat and one rank, and one ' +
        'line is named, the one with most backers of its own, then the first in ballot order. The ranking ' +
        'is the order of repeated instant run-offs over the rankings of the endorsers, without withdrawn choices: the ' +
        'winner, then the winner among the rest, up to ranks_allowed. In each round a ranking counts for its best ' +
        'remaining choice. A choice with more than half of the rankings that still count wins; otherwise the one with ' +
        'fewest goes out. A tie for fewest is broken by the latest earlier round in which the tied differ, then by the ' +
        'number of endorsers that pick them at any rank. Those still tied go out together if they have no votes, or if ' +
        'all their votes are fewer than those of the next choice; otherwise the ranking ends.',
    }),
    endorser_count: described(
      count,
      'How many of the chosen endorsers took a position, by a pick of any choice.',
    ),
    agreement,
  },
);
export type Recommendation = Static<typeof recommendation>;

const recommendedContest = record('RecommendedContest', 'A contest with its recommendation.', {
  ...contest.properties,
  choices: Type.Array(recommendedChoice, {
    description:
      'Most-backed first; choices with equally many backers in ballot order. Lines of one candidate stand together, by ' +
      'the backers of those that stand, then by their own.',
  }),
  recommendation,
});

const recommendedElection = record('RecommendedElection', 'An election with its recommended contests.', {
  ...electionFields,
  contests: Type.Array(recommendedContest, {
    description: 'Federal, then state, then local contests, each in ballot order.',
  }),
});

const asAskedFor = (parameter: string) => `The parameter ${parameter}; null if it was not given.`;

const scope = record('RecommendationScope', 'The requested selection of contests.', {
  states: described(nullable(Type.Array(stateCode)), asAskedFor('state')),
  elections: described(nullable(Type.Array(text)), asAskedFor('election')),
  contests: described(nullable(Type.Array(recordId)), asAskedFor('contest')),
  levels: described(nullable(Type.Array(level)), asAskedFor('levels')),
  contest_kinds: described(nullable(Type.Array(contestKind)), asAskedFor('contest_kinds')),
  only_endorsed: described(nullable(boolean), asAskedFor('only_endorsed')),
});

const endorserFilter = record('EndorserFilter', 'The endorsers counted: those that match every field.', {
  categories: described(nullable(Type.Array(text)), asAskedFor('categories')),
  endorsers: described(nullable(Type.Array(text)), asAskedFor('endorsers')),
  endorser_states: described(nullable(Type.Array(endorserState)), asAskedFor('endorser_states')),
});

const chosenSubscription = record('ChosenSubscription', 'The endorsers counted: those of a subscription.', {
  subscription: record('SubscriptionSummary', 'A subscription, as other records carry it.', {
    id: recordId,
    name: text,
  }),
});

const countedEndorsers = named(
  'CountedEndorsers',
  'The endorsers counted: the word all, the filter that chooses them, or the subscription.',
  // Generated clients try these in order. Some fail on a different word before they try an object.
  Type.Union([endorserFilter, chosenSubscription, Type.Literal('all')]),
);

/** The Recommendations response (specification, "Recommendations response"). */
export const recommendations = single(
  record('Recommendations', 'The choices to mark in each of the chosen contests.', {
    scope,
    endorsers: countedEndorsers,
    elections: Type.Array(recommendedElection, { description: 'By date.' }),
  }),
);
