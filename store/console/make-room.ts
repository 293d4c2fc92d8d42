/** As many files are kept as may be, and too few of them are done. */
export class TooManyFilesError extends Error {
  override name = 'TooManyFilesError';
}

/**
 * Chooses the oldest that are done, so that one more fits.
 *
 * @param held the oldest first
 * @throws TooManyFilesError with this message if too few are done
 */
export function chooseToDelete(
  held: readonly { id: number; isDone: boolean }[],
  most: number,
  message: string,
): number[] {
  const excess = Math.max(0, held.length + 1 - most);
  const done = held.filter(({ isDone }) => isDone);
  if (done.length < excess) throw new TooManyFilesError(message);
  return done.slice(0, excess).map(({ id }) => id);
}
