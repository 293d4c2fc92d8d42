/** The advisory locks of the database. The numbers are arbitrary; listing them together keeps them distinct. */
export const ADVISORY_LOCKS = {
  /** Held while migrations are applied. */
  migration: 7_204_411,
  /** Held while a catalogue is merged. */
  catalogueImport: 7_204_412,
  /** Held for life by the one process that may relay changes to Kafka, the leader. */
  relay: 7_204_413,
  /** Held for life by the leader once it has relayed: shows the stand-bys that it works. */
  relaying: 7_204_415,
  /** Held for life by the one process that may apply submissions. */
  apply: 7_204_417,
  /** Held for life by that process once it has applied some: shows the stand-bys that it works. */
  applying: 7_204_418,
  /** Held while officeholders are loaded. */
  officeholderImport: 7_204_414,
  /** With an account's id: held while its submissions are published, so that its requests take turns. */
  publishing: 7_204_419,
  /** With a file's id: held while a gateway compares or imports an uploaded catalogue file. */
  catalogueFile: 7_204_420,
  /** Held while rejected submissions are sent again. */
  rejectedRetry: 7_204_416,
} as const;
