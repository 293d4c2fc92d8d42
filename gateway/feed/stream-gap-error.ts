/** A change is in neither Kafka nor the change log. No reader passes it silently (INV-7). */
export class StreamGapError extends Error {
  override name = 'StreamGapError';

  constructor(sequence: number) {
    super(`The change ${sequence} is lost.`);
  }
}
