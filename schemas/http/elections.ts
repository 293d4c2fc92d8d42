import { Type } from 'typebox';
import { electionType, primarySystem, stateCode } from './enumerations.ts';
import { boolean, count, date, described, named, nullable, record, recordId, text } from './fields.ts';

/** An election within another record. */
export const electionSummary = record('ElectionSummary', 'An election, as other records carry it.', {
  id: recordId,
  slug: described(text, 'Identifies the election in filters, such as `or-2026-11-03-general`.'),
  name: described(text, 'The name, in the requested language.'),
  date: described(date, 'Election day.'),
  state: stateCode,
  type: electionType,
});

const electionDetails = named(
  'ElectionDetails',
  'Voting rules. A rule that the source does not state is left out. Other details of the source can be present.',
  Type.Object(
    {
      all_mail: Type.Optional(described(boolean, 'Every voter gets a ballot by mail.')),
      ranked_choice: Type.Optional(described(boolean, 'Voters rank choices in some contests.')),
      fusion_voting: Type.Optional(described(boolean, 'Several parties can nominate the same candidate.')),
      runoff_date: Type.Optional(described(date, 'The day of a runoff, if one is needed.')),
    },
    { additionalProperties: true },
  ),
);

/** The fields of an election, without its counts (specification, "Election"). */
export const electionFields = {
  ...electionSummary.properties,
  short_name: described(nullable(text), 'A shorter name.'),
  primary_system: nullable(primarySystem),
  info_url: described(nullable(text), 'A page about the election, by its authority.'),
  details: electionDetails,
};

/** An election in a list. */
export const election = record('Election', 'An election, with counts of its contests and endorsements.', {
  ...electionFields,
  contest_count: described(count, 'Contests on the ballots of the election.'),
  endorsement_count: described(count, 'Endorsements in these contests.'),
});
