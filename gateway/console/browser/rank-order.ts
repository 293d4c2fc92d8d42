/** A choice and its rank; null for a choice without one. */
export interface Ranked {
  key: string;
  rank: number | null;
}

/**
 * The ranks after one choice was moved before another, or behind all that have a rank if the other has none. Ranks become
 * 1, 2, 3… without gaps.
 *
 * @param before the key of the other choice; the moved one itself changes nothing but gaps
 * @returns the keys of the choices with ranks, the first one first
 */
export function moveRank(choices: readonly Ranked[], moved: string, before: string): string[] {
  const order = choices
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => Number(one.rank) - Number(other.rank))
    .map(({ key }) => key);
  if (moved === before) return order;
  const from = order.indexOf(moved);
  const to = order.indexOf(before);
  const rest = order.filter((key) => key !== moved);
  if (to === -1) return [...rest, moved];
  // Moved down, a choice takes the place of the other one, which moves up.
  const at = rest.indexOf(before) + (from !== -1 && from < to ? 1 : 0);
  return [...rest.slice(0, at), moved, ...rest.slice(at)];
}
