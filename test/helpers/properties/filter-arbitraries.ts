import fc from 'fast-check';
import type { ChangeFacets, StreamFilter } from '../../../domain/stream-filter.ts';
import { FILTER_FIELDS } from '../../../schemas/vocabulary.ts';

const WORDS = ['a', 'b', 'constructor'];
const word = fc.constantFrom(...WORDS);
const NAMES = FILTER_FIELDS.filter((field) => field !== 'types');
type Name = (typeof NAMES)[number];
const each = <T>(value: T) => Object.fromEntries(NAMES.map((name) => [name, value])) as Record<Name, T>;
const types = fc.constantFrom('created', 'updated', 'deleted');
/** Facets of a change with few values, so that filters often match. */
export const facets: fc.Arbitrary<ChangeFacets> = fc.record({ ...each(word), types });
const withFields: fc.Arbitrary<StreamFilter> = fc.record(
  { ...each(fc.array(word, { maxLength: 4 })), types: fc.array(types) },
  { requiredKeys: [] },
);
/** Filters of any fields, with the same few values. A filter without fields matches every change. */
export const filter: fc.Arbitrary<StreamFilter> = fc.oneof(
  { weight: 9, arbitrary: withFields },
  { weight: 1, arbitrary: fc.constant({}) },
);
