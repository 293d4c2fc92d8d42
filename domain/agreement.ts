import type { Recommendation } from '../schemas/http/recommendations.ts';

/**
 * Returns how far the chosen endorsers agree on a recommendation (specification, "Recommendation").
 *
 * The support of half of the endorsers or fewer is a `plurality`: the rules of each vote method recommend a
 * choice only if no other choice equals it. The winner of a run-off may have fewer first choices than another
 * choice. This is a plurality too, because `split` means that nothing is recommended.
 *
 * @param backers the number of chosen endorsers that took a position, including those that back only
 *   withdrawn choices.
 * @param support the number of them that support the recommendation; null without a recommendation.
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
