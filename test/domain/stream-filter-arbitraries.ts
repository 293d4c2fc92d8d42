import fc from 'fast-check';
import type { ChangeFacets, StreamFilter } from '../../domain/stream-filter.ts';

const WORDS = ['a', 'b', 'constructor'];
const word = fc.constantFrom(...WORDS);
const NAMES = [
  'categories',
  'endorsers',
  'endorser_states',
  'states',
  'elections',
  'contest_kinds',
  'levels',
] as const;
type Name = (typeof NAMES)[number];
const each = <T>(value: T) => Object.fromEntries(NAMES.map((name) => [name, value])) as Record<Name, T>;
const types = fc.constantFrom('created', 'updated', 'deleted');
/** What of a change a filter looks at, of few values, so that filters often match. */
export const facets: fc.Arbitrary<ChangeFacets> = fc.record({ ...each(word), types });
/** Filters of any fields, with values of the same few. */
export const filter: fc.Arbitrary<StreamFilter> = fc.record(
  { ...each(fc.array(word, { maxLength: 4 })), types: fc.array(types) },
  { requiredKeys: [] },
);

export const FILTER_FIELDS = [...NAMES, 'types'] as const;
