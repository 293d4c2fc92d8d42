/** A table, or an option about it, that cannot be used. The message is a sentence for the person who has the file. */
export class TableError extends Error {
  override name = 'TableError';
}
