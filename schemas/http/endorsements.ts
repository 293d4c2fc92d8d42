import { choice, choiceSummary, contestSummary, contestWithoutChoices, pickFields } from './contests.ts';
import { electionSummary } from './elections.ts';
import { endorserSummary } from './endorsers.ts';
import { described, record, recordId, text, time } from './fields.ts';

const endorsementFields = {
  id: recordId,
  ...pickFields,
  updated_at: described(
    time,
    'The last change of the endorsement itself. Edits of its endorser, contest or choice do not change it; ' +
      'events announce them.',
  ),
  endorser: endorserSummary,
};

/** One endorsement in full (specification, "Endorsement"). */
export const endorsement = record(
  'Endorsement',
  'An endorsement in full: one endorser and one choice, with the whole contest.',
  { ...endorsementFields, contest: contestWithoutChoices, choice },
);

/** An endorsement in a list, with its place on the ballot. */
export const listedEndorsement = record(
  'ListedEndorsement',
  'An endorsement in a list: one endorser and one choice.',
  {
    ...endorsementFields,
    contest: contestSummary,
    election: electionSummary,
    choice: choiceSummary,
  },
);

export const streamCursor = described(
  text,
  'The position of the stream at which the list was read, the same on every page. Paging to the end and then reading ' +
    'the stream from here gives an exact copy.',
);
