import { distance } from 'fastest-levenshtein';

/** The known names that a mistyped one most likely means, the nearest first. @param most how many to return */
export function findNearest(name: string, known: readonly string[], most: number): string[] {
  const given = name.toLowerCase();
  return known
    .map((each) => ({ each, steps: distance(given, each) }))
    .filter(
      ({ each, steps }) => steps <= Math.max(2, each.length / 3) || (given !== '' && each.startsWith(given)),
    )
    .sort((a, b) => a.steps - b.steps)
    .slice(0, most)
    .map(({ each }) => each);
}
