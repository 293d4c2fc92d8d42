/** The filter fields that lists and the stream of events share, in alphabetical order. */
export const ENDORSEMENT_FILTER_FIELDS = [
  'categories',
  'contest_kinds',
  'elections',
  'endorser_states',
  'endorsers',
  'levels',
  'states',
] as const;
