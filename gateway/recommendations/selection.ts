import type { ContestSelection, EndorserFilters } from '../../store/recommendations.ts';

/** Which endorsers count, and where a saved filter chooses them, to which contests it narrows the answer. */
export interface EndorserSelection {
  /** As the answer shows it, under `endorsers`. */
  shown: 'all' | Record<keyof EndorserFilters, readonly string[] | null> | { subscription: object };
  endorsers: EndorserFilters;
  narrowing: ContestSelection;
}

/** The endorsers that query parameters choose: all of them where there is no such parameter. */
export function selectEndorsers({
  categories,
  endorsers,
  endorser_states,
}: EndorserFilters): EndorserSelection {
  const given = categories ?? endorsers ?? endorser_states;
  return {
    shown:
      given === undefined
        ? 'all'
        : {
            categories: categories ?? null,
            endorsers: endorsers ?? null,
            endorser_states: endorser_states ?? null,
          },
    endorsers: { categories, endorsers, endorser_states },
    narrowing: {},
  };
}
