import { CONTEST_KINDS, LEVELS, STATE_CODES, VOTE_METHODS } from '../vocabulary.ts';
import * as field from './fields.ts';

/** The most choices of a contest. */
export const MAX_CHOICES = 2_000;
const state = field.oneOf(STATE_CODES, 'the USPS code of a state or territory');

const district = field.record({
  ocd_id: field.described('The Open Civic Data division id, where one exists.', field.optional(field.key)),
  name: field.described('The name that readers see.', field.title),
  name_es: field.optional(field.title),
  level: field.described('The level of government.', field.oneOf(LEVELS)),
  type: field.described(
    'The kind of district in the words of the source, such as `council_district`.',
    field.key,
  ),
  state: field.described('The state of the election, or null for the whole nation.', field.optional(state)),
});

const candidate = field.record({
  full_name: field.described('The name as the ballot prints it.', field.title),
  key: field.described(
    'Tells which lines are one person, see Candidates; `full_name` by default.',
    field.optional(field.title),
  ),
});

const choice = field.record({
  key: field.described('Names the choice within its contest, in submissions.', field.key),
  label: field.described('The text on the ballot.', field.title),
  label_es: field.optional(field.title),
  measure_answer: field.described(
    'The answer that the choice stands for.',
    field.optional(field.oneOf(['yes', 'no'])),
  ),
  candidate: field.described('The person; null for other choices.', field.optional(candidate)),
  party: field.described('The party of the candidate.', field.optional(field.title)),
  party_label: field.described('The party as the ballot prints it, if it does.', field.optional(field.title)),
  party_label_es: field.optional(field.title),
  option: field.described(
    'For a choice of none of these candidates.',
    field.optional(field.oneOf(['none_of_these'])),
  ),
  withdrawn: field.described('Whether it no longer stands; false by default.', field.optional(field.boolean)),
  ballot_designation: field.described(
    'The words that the ballot prints with the name, such as an occupation.',
    field.optional(field.title),
  ),
  ballot_designation_es: field.optional(field.title),
  details: field.described('Anything else. Kept, and not shown.', field.optional(field.anyObject)),
});

/** The fields of a line of a contests file. */
export const contestFields = field.record({
  key: field.described('Names the contest: `election`, a slash, `slug`.', field.contestKey),
  election: field.described('The slug of its election.', field.slug),
  slug: field.described('Names the contest within its election.', field.contestSlug),
  title: field.described('The title on the ballot.', field.title),
  title_es: field.optional(field.title),
  short_title: field.described('A shorter title, for lists.', field.title),
  short_title_es: field.optional(field.title),
  description: field.described('The question or the text of a measure.', field.optional(field.longText)),
  description_es: field.optional(field.longText),
  kind: field.described('What the contest decides.', field.oneOf(CONTEST_KINDS)),
  vote_method: field.described('How voters mark it.', field.oneOf(VOTE_METHODS)),
  votes_allowed: field.described(
    'The number of seats; null if the source does not say.',
    field.optional(field.positiveInteger),
  ),
  ranks_allowed: field.described(
    'The number of ranks, for `ranked_choice`.',
    field.optional(field.positiveInteger),
  ),
  measure_code: field.described('The letter or number of a measure.', field.optional(field.title)),
  ballot_order: field.described(
    'Its place among the contests of its election; by default, that of its line.',
    field.optional(field.positiveInteger),
  ),
  district: field.described('The area whose voters decide it.', district),
  choices: field.described('In the order of the ballot.', field.listOf(choice, MAX_CHOICES)),
  source_url: field.described(
    'The official source; `details.source_url` by default.',
    field.optional(field.url),
  ),
  details: field.described(
    'More about the contest, such as `term`; other keys are kept too.',
    field.optional(
      field.openRecord({ source_url: field.described('The official source.', field.optional(field.url)) }),
    ),
  ),
  source: field.source(),
});

/** A line of a contests file. */
export type ContestRecord = field.Accepted<typeof contestFields>;
/** An item of a contest's choices. */
export type ChoiceRecord = field.Accepted<typeof choice>;
