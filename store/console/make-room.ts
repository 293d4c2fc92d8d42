/** Chooses the oldest that are done, so that one more fits; null if too few are done. @param held the oldest first */
export function chooseToDelete(
  held: readonly { id: number; isDone: boolean }[],
  most: number,
): number[] | null {
  const excess = Math.max(0, held.length + 1 - most);
  const done = held.filter(({ isDone }) => isDone);
  return done.length < excess ? null : done.slice(0, excess).map(({ id }) => id);
}
