import type { Parsed } from '../problems.ts';
import { ELECTION_TYPES, PRIMARY_SYSTEMS, STATE_CODES } from '../vocabulary.ts';
import * as field from './fields.ts';
import { createRecordCheck } from './record-check.ts';

/** The voting rules that the interface shows. Other keys are kept too. */
const details = field.openRecord({
  all_mail: field.optional(field.boolean),
  ranked_choice: field.optional(field.boolean),
  fusion_voting: field.optional(field.boolean),
  runoff_date: field.optional(field.date),
});

const electionFields = field.record({
  slug: field.slug,
  name: field.title,
  name_es: field.optional(field.title),
  short_name: field.optional(field.title),
  short_name_es: field.optional(field.title),
  date: field.date,
  state: field.oneOf(STATE_CODES, 'the USPS code of a state or territory'),
  type: field.oneOf(ELECTION_TYPES),
  primary_system: field.optional(field.oneOf(PRIMARY_SYSTEMS)),
  info_url: field.optional(field.url),
  details: field.optional(details),
  source: field.optional(field.anyObject),
});

/** A line of an elections file. */
export type ElectionRecord = field.Accepted<typeof electionFields>;

/** Checks a line of an elections file. */
export const parseElection: (json: unknown) => Parsed<ElectionRecord> = createRecordCheck(electionFields);
