/** The log of the stream, as the store knows it. */
export interface KnownLog {
  /** Kafka's id of the changes topic; null before the first look. */
  topicId: string | null;
  /** By partition: an offset that its end has reached. */
  offsets: readonly number[];
}

/** The changes topic, as Kafka has it. */
export interface SeenLog {
  topicId: string;
  /** By partition: its end. */
  ends: readonly number[];
}

/**
 * Compares the changes topic with the log of the positions in the store.
 *
 * @returns null if the log is the same; otherwise the reason, as a clause. The store's positions are then
 *   invalid.
 */
export function findReplacement(known: KnownLog, seen: SeenLog): string | null {
  if (known.topicId !== null && known.topicId !== seen.topicId) {
    return `it is another topic, ${seen.topicId} instead of ${known.topicId}`;
  }
  const shrunk = known.offsets.findIndex((offset, partition) => offset > (seen.ends[partition] ?? 0));
  if (shrunk === -1) return null;
  return `its partition ${shrunk} ends at ${seen.ends[shrunk] ?? 0}, but has reached ${known.offsets[shrunk]} before`;
}
