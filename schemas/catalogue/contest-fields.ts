import { CONTEST_KINDS, LEVELS, STATE_CODES, VOTE_METHODS } from '../vocabulary.ts';
import * as field from './fields.ts';

const MAX_CHOICES = 2_000;
const state = field.oneOf(STATE_CODES, 'the USPS code of a state or territory');

const district = field.record({
  ocd_id: field.optional(field.key),
  name: field.title,
  name_es: field.optional(field.title),
  level: field.oneOf(LEVELS),
  type: field.key,
  /** Null if the district is the whole nation. */
  state: field.optional(state),
});

const candidate = field.record({
  full_name: field.title,
  /** Distinguishes candidates of the same name in a contest; the full name by default. */
  key: field.optional(field.title),
});

const choice = field.record({
  key: field.key,
  label: field.title,
  label_es: field.optional(field.title),
  measure_answer: field.optional(field.oneOf(['yes', 'no'])),
  candidate: field.optional(candidate),
  party: field.optional(field.title),
  party_label: field.optional(field.title),
  party_label_es: field.optional(field.title),
  option: field.optional(field.oneOf(['none_of_these'])),
  withdrawn: field.optional(field.boolean),
  ballot_designation: field.optional(field.title),
  ballot_designation_es: field.optional(field.title),
  details: field.optional(field.anyObject),
});

/** The fields of a line of a contests file. */
export const contestFields = field.record({
  key: field.contestKey,
  election: field.slug,
  slug: field.contestSlug,
  title: field.title,
  title_es: field.optional(field.title),
  short_title: field.title,
  short_title_es: field.optional(field.title),
  description: field.optional(field.longText),
  description_es: field.optional(field.longText),
  kind: field.oneOf(CONTEST_KINDS),
  vote_method: field.oneOf(VOTE_METHODS),
  votes_allowed: field.optional(field.positiveInteger),
  ranks_allowed: field.optional(field.positiveInteger),
  measure_code: field.optional(field.title),
  ballot_order: field.optional(field.positiveInteger),
  district,
  choices: field.listOf(choice, MAX_CHOICES),
  source_url: field.optional(field.url),
  details: field.optional(field.openRecord({ source_url: field.optional(field.url) })),
  source: field.optional(field.anyObject),
});

/** A line of a contests file. */
export type ContestRecord = field.Accepted<typeof contestFields>;
/** An item of a contest's choices. */
export type ChoiceRecord = field.Accepted<typeof choice>;
