/** The groups of operations with their topics, in the order of the description. */
export const TAGS = {
  States: 'The states, and the amount of data for each.',
  Elections: 'Elections with their voting rules.',
  Contests: 'Contests of elections, with their choices, and the positions that endorsers have taken in them.',
  Endorsers: 'Organizations that publish endorsements, and the categories they belong to.',
  Endorsements: 'Endorsements: one for each endorser and choice.',
  Recommendations: 'Choices to mark on a ballot according to chosen endorsers, and the agreement of these.',
  Officeholders: 'People in office, with the seats they hold.',
  Changes:
    'Every change of an endorsement, within seconds, by polling or as a stream of Server-Sent Events. Both lose ' +
    'nothing: a client continues from its cursor, at any gateway, while the cursor is within retention.',
  Subscriptions:
    'Saved filters of the account, which the stream, events and recommendations take by id or name.',
  Webhooks:
    'HTTPS addresses of the account to which the service sends changes, signed and in order. An addition to the ' +
    'interface specification.',
  Publishing:
    'Endorsements that the account publishes for endorsers, and what became of them. An addition to the interface ' +
    'specification: operators of the service allow an account the endorsers for which it may speak.',
} as const;

export type Tag = keyof typeof TAGS;
