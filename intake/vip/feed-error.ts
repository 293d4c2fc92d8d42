/** A feed that cannot be used as a whole. The message is a sentence for the person who has the file. */
export class FeedError extends Error {
  override name = 'FeedError';
}
