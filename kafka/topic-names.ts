export interface TopicNames {
  /** Incoming endorsement submissions, keyed by endorser slug. */
  submissions: string;
  /** Rejected submissions, with their reason and origin. */
  rejected: string;
  /** Endorsement changes for the stream, keyed by endorser slug. */
  changes: string;
}

/** The Kafka topics of the service. `prefix` separates installations, or tests, on one cluster. */
export function topicNames(prefix = ''): TopicNames {
  return {
    submissions: `${prefix}endorsement-submissions`,
    rejected: `${prefix}endorsement-submissions-rejected`,
    changes: `${prefix}endorsement-changes`,
  };
}

/** The consumer group for apply's offsets, for lag tools. It has no members. */
export function applyGroup(prefix: string): string {
  return `${prefix}endorsement-apply`;
}
