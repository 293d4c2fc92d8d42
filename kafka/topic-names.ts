export interface TopicNames {
  /** Incoming endorsement submissions, keyed by endorser slug. */
  submissions: string;
  /** Rejected submissions, with the reason and their origin. */
  rejected: string;
  /** Endorsement changes for the stream, keyed by endorser slug. */
  changes: string;
}

/** The Kafka topics of the service. `prefix` keeps several installations, or tests, apart on one cluster. */
export function topicNames(prefix = ''): TopicNames {
  return {
    submissions: `${prefix}endorsement-submissions`,
    rejected: `${prefix}endorsement-submissions-rejected`,
    changes: `${prefix}endorsement-changes`,
  };
}

/** The consumer group to which the offsets of apply are committed, for lag tools. Nothing joins it. */
export function applyGroup(prefix = ''): string {
  return `${prefix}endorsement-apply`;
}
