import { Type } from 'typebox';
import { endorserState } from './enumerations.ts';
import { count, date, described, nullable, record, recordId, text } from './fields.ts';

const categorySummary = record('CategorySummary', 'An endorser category, as endorsers carry it.', {
  slug: described(text, 'Identifies the category in filters.'),
  name: described(text, 'The name, in the requested language.'),
});

/** An endorser category (specification, "Endorser category"). */
export const endorserCategory = record('EndorserCategory', 'A category of endorsers, such as labor.', {
  ...categorySummary.properties,
  singular_name: described(text, 'The name for one endorser; the name, if the source gives none.'),
  endorser_count: described(count, 'Endorsers in the category.'),
});

/** An endorser within another record. */
export const endorserSummary = record('EndorserSummary', 'An endorser, as other records carry it.', {
  id: recordId,
  slug: described(text, 'Identifies the endorser in paths and filters.'),
  name: described(text, 'The name, in the requested language.'),
  category: categorySummary,
  state: endorserState,
});

/** An endorser in a list (specification, "Endorser"). */
export const endorser = record('Endorser', 'An organization that publishes endorsements.', {
  ...endorserSummary.properties,
  description: described(nullable(text), 'A description in a few sentences.'),
  website_url: described(nullable(text), 'Its website.'),
  logo_url: described(nullable(text), 'An image of its logo.'),
  endorsement_count: described(count, 'Its endorsements in all elections.'),
});

const endorsedElection = record('EndorsedElection', 'An election in which an endorser has endorsed.', {
  election: described(text, 'The slug of the election.'),
  name: described(text, 'The name, in the requested language.'),
  date: described(date, 'Election day.'),
  contests: described(count, 'Contests in which the endorser has taken a position.'),
});

/** One endorser, with the elections it has endorsed in, newest first, and the number of contests in each. */
export const endorserWithElections = record(
  'EndorserWithElections',
  'An endorser, with the elections in which it has endorsed.',
  {
    ...endorser.properties,
    elections: Type.Array(endorsedElection, { description: 'The newest first.' }),
  },
);
