import type { Recommendation } from '../schemas/http/recommendations.ts';

/**
 * How far the chosen endorsers agree on a recommendation (specification, "Recommendation").
 *
 * `plurality` is all that is recommended without more than half: the rules of each vote method recommend only what
 * nothing left out equals. The winner of a run-off can lead with fewer first choices than another; that is a plurality
 * too, because `split` is kept for a contest in which nothing is recommended.
 *
 * @param backers how many chosen endorsers took a position, those who back only withdrawn choices among them.
 * @param support how many of them are behind what is recommended; null where nothing is.
 */
export function judgeAgreement(backers: number, support: number | null): Recommendation['agreement'] {
  if (backers === 0) return 'none';
  if (support === null) return 'split';
  if (support === backers) return 'unanimous';
  return isMoreThanHalf(support, backers) ? 'majority' : 'plurality';
}

export function isMoreThanHalf(part: number, whole: number): boolean {
  return 2 * part > whole;
}
