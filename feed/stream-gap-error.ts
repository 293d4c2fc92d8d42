/** The message to the client of a stream or a long poll at such a gap. */
export const STREAM_GAP =
  'The stream lacks a change after this cursor. Catch up through /v1/endorsements, then continue from its stream_cursor.';

/** A change is in neither Kafka nor the change log. No reader passes it silently (INV-7). */
export class StreamGapError extends Error {
  override name = 'StreamGapError';

  constructor(sequence: number) {
    super(`The change ${sequence} is lost.`);
  }
}
