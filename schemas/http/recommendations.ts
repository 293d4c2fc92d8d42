import { CONTEST_KINDS, LEVELS, STATE_CODES } from '../vocabulary.ts';
import { date, integer, type JsonSchema, listOf, nullable, objectOf, oneOf, text } from './json-schema.ts';
import { contestFilters, positionFilters } from './parameters.ts';
import { choice, contest, flatEndorsement, listedElection } from './records.ts';

/** How far endorsers agree (specification, "Recommendation"). */
const AGREEMENTS = ['unanimous', 'majority', 'plurality', 'split', 'none'] as const;
export type Agreement = (typeof AGREEMENTS)[number];

const { states, elections, levels, contest_kinds } = contestFilters;

/** The parameters that choose and narrow contests (specification, "GET /v1/recommendations"). */
const contestParameters = {
  state: {
    ...states,
    description:
      'States whose upcoming contests are wanted. Required unless election or contest is given; beside one of these ' +
      'it narrows what they name, past or upcoming.',
  },
  election: {
    ...elections,
    description: 'Election slugs, past or upcoming.',
  },
  contest: {
    type: 'array',
    title: 'at most 500 contest ids, comma-separated',
    items: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', title: 'a contest id' },
    maxItems: 500,
    description: 'Contest ids, of past or upcoming elections.',
  },
  levels,
  contest_kinds,
  only_endorsed: {
    type: 'boolean',
    title: 'true or false',
    description: 'Leave out contests in which none of the chosen endorsers took a position.',
  },
} as const satisfies Record<string, JsonSchema>;

/** The parameters of `GET /v1/recommendations`. Without a selection of endorsers, all of them count. */
export const recommendationParameters = {
  ...contestParameters,
  ...positionFilters,
} as const satisfies Record<string, JsonSchema>;

/** A record of the interface with fields of this answer beside its own. */
function extend(
  { properties = {}, required = [], ...rest }: JsonSchema,
  fields: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    ...rest,
    properties: { ...properties, ...fields, ...optional },
    required: [...new Set([...required, ...Object.keys(fields)])],
  };
}

const backing = objectOf({
  endorser: flatEndorsement.properties?.endorser ?? {},
  rank: nullable(integer),
  statement: nullable(text),
  source_url: nullable(text),
  published_on: nullable(date),
});

const backedChoice = extend(
  choice,
  { endorsed_by: listOf(backing), endorsement_count: integer },
  {
    first_choice_count: {
      ...integer,
      description:
        'Ranked choice only: how many endorsers have it first of all their picks. A pick without a rank is a first choice.',
    },
  },
);

const recommendation = objectOf({
  choice_ids: {
    ...listOf(integer),
    description:
      'What to mark, most-backed first, or the ranking. No choice that nobody backs, and none that is withdrawn.',
  },
  endorser_count: {
    ...integer,
    description: 'How many of the chosen endorsers took a position, by a pick of any choice.',
  },
  agreement: {
    ...oneOf(AGREEMENTS),
    description:
      'unanimous: every endorser that took a position is behind the recommendation; majority: more than half; ' +
      'plurality: half or less; split: positions, but nothing that leads; none: no position.',
  },
});

const recommendedContest = extend(contest, {
  choices: {
    ...listOf(backedChoice),
    description: 'Most-backed first; choices with equally many backers in ballot order.',
  },
  recommendation,
});

const { contest_count: _, endorsement_count: __, ...electionFields } = listedElection.properties ?? {};

/** The Recommendations response (specification, "Recommendations response"). */
export const recommendations = objectOf({
  data: objectOf({
    scope: objectOf({
      states: nullable(listOf(oneOf(STATE_CODES))),
      elections: nullable(listOf(text)),
      contests: nullable(listOf(integer)),
      levels: nullable(listOf(oneOf(LEVELS))),
      contest_kinds: nullable(listOf(oneOf(CONTEST_KINDS))),
      only_endorsed: nullable({ type: 'boolean' }),
    }),
    endorsers: {
      description: 'The endorsers counted: all, the filter that chooses them, or the subscription.',
      anyOf: [
        { type: 'string', const: 'all' },
        objectOf({
          categories: nullable(listOf(text)),
          endorsers: nullable(listOf(text)),
          endorser_states: nullable(listOf(text)),
        }),
        objectOf({ subscription: objectOf({ id: integer, name: text }) }),
      ],
    },
    elections: {
      ...listOf(objectOf({ ...electionFields, contests: listOf(recommendedContest) })),
      description: 'By date, each with its contests: federal, then state, then local ones, in ballot order.',
    },
  }),
});
