import { distance } from 'fastest-levenshtein';
import { shorten } from '../schemas/problems.ts';

/** The letters in which a mistyped name differs from a known one; null if it differs in too many. */
function countTypos(given: string, known: string): number | null {
  if (given !== '' && known.startsWith(given)) return known.length - given.length;
  const most = Math.max(2, known.length / 3);
  // Such a name need not be compared, which bounds the time for a very long one.
  if (Math.abs(given.length - known.length) > most) return null;
  const typos = distance(given, known);
  return typos <= most ? typos : null;
}

/** The known names that a mistyped one most likely means, the nearest first. @param most how many to return */
export function findNearest(name: string, known: readonly string[], most: number): string[] {
  const given = name.toLowerCase();
  return known
    .flatMap((each) => {
      const typos = countTypos(given, each.toLowerCase());
      return typos === null ? [] : [{ each, typos }];
    })
    .sort((a, b) => a.typos - b.typos)
    .slice(0, most)
    .map(({ each }) => each);
}

/** Says that there is no such name, and names up to three similar ones. @param kind such as `endorser` */
export function describeUnknown(kind: string, name: string, known: readonly string[]): string {
  const similar = findNearest(name, known, 3);
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  return `There is no ${kind} "${shorten(name)}".${hint}`;
}
