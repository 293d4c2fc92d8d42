export interface TopicNames {
  /** Endorsement submissions on their way in, keyed by endorser slug. */
  submissions: string;
  /** Submissions that were refused, with the reason and their origin. */
  rejected: string;
  /** Endorsement changes on their way out, keyed by endorser slug. */
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
