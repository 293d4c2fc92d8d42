import type { Parsed } from '../problems.ts';
import { ELECTION_TYPES, PRIMARY_SYSTEMS, STATE_CODES } from '../vocabulary.ts';
import * as field from './fields.ts';
import { createRecordCheck } from './record-check.ts';

/** The voting rules that the interface shows. Other keys are kept too. */
const details = field.openRecord({
  all_mail: field.described('Whether every voter gets a ballot by mail.', field.optional(field.boolean)),
  ranked_choice: field.described(
    'Whether voters rank the choices of some contests.',
    field.optional(field.boolean),
  ),
  fusion_voting: field.described(
    'Whether one candidate can be on several lines of a contest; see Candidates.',
    field.optional(field.boolean),
  ),
  runoff_date: field.described('The day of a runoff that may follow.', field.optional(field.date)),
});

export const electionFields = field.record({
  slug: field.described(
    'Names the election: the state, the date and a word, such as `or-2026-11-03-general`.',
    field.slug,
  ),
  name: field.described('The name that readers see.', field.title),
  name_es: field.optional(field.title),
  short_name: field.described('A shorter name, for lists.', field.optional(field.title)),
  short_name_es: field.optional(field.title),
  date: field.described('The day of the election.', field.date),
  state: field.described(
    'The state that holds it.',
    field.oneOf(STATE_CODES, 'the USPS code of a state or territory'),
  ),
  type: field.described('The type of the election.', field.oneOf(ELECTION_TYPES)),
  primary_system: field.described(
    'The voters that a primary is open to.',
    field.optional(field.oneOf(PRIMARY_SYSTEMS)),
  ),
  info_url: field.described('The official page about it.', field.optional(field.url)),
  details: field.described('Rules of voting; other keys are kept too.', field.optional(details)),
  source: field.source(),
});

/** A line of an elections file. */
export type ElectionRecord = field.Accepted<typeof electionFields>;

/** Checks a line of an elections file. */
export const parseElection: (json: unknown) => Parsed<ElectionRecord> = createRecordCheck(electionFields);
