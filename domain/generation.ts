/** The log that the store knows the stream to be in. */
export interface KnownLog {
  /** Kafka's id of the changes topic; null if it was never looked at. */
  topicId: string | null;
  /** By partition: an offset that its end has once reached. */
  offsets: readonly number[];
}

/** The changes topic as Kafka has it. */
export interface SeenLog {
  topicId: string;
  /** By partition: its end. */
  ends: readonly number[];
}

/**
 * Compares the changes topic with the log that positions in the store refer to.
 *
 * @returns a clause that says why it is another log, so that those positions mean nothing in it; null if it is the same
 */
export function findReplacement(known: KnownLog, seen: SeenLog): string | null {
  if (known.topicId !== null && known.topicId !== seen.topicId) {
    return `it is another topic, ${seen.topicId} instead of ${known.topicId}`;
  }
  const shrunk = known.offsets.findIndex((offset, partition) => offset > (seen.ends[partition] ?? 0));
  if (shrunk === -1) return null;
  return `its partition ${shrunk} ends at ${seen.ends[shrunk] ?? 0}, but has reached ${known.offsets[shrunk]} before`;
}
