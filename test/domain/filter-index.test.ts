import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FilterIndex } from '../../domain/filter-index.ts';
import {
  type ChangeFacets,
  createPredicate,
  filterKey,
  type StreamFilter,
} from '../../domain/stream-filter.ts';
import { facets, filter } from '../helpers/properties/filter-arbitraries.ts';

const found = (index: FilterIndex<number>, change: Parameters<typeof index.forEachMatch>[0]) => {
  const items: number[] = [];
  index.forEachMatch(change, (item) => items.push(item));
  return items.sort((a, b) => a - b);
};

test('finds exactly the filters that a change passes, each once, after any removals', () => {
  const filters = fc.array(fc.record({ filter, removed: fc.boolean() }), { maxLength: 20 });
  fc.assert(
    fc.property(filters, facets, (there, change) => {
      const index = new FilterIndex<number>();
      const removers = there.map((each, item) => index.add(each.filter, item));
      for (const [item, { removed }] of there.entries()) if (removed) removers[item]?.();
      const expected = there.flatMap((each, item) =>
        !each.removed && createPredicate(each.filter)(change) ? [item] : [],
      );
      expect(found(index, change)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test('a change tries only the filters that name its own values', () => {
  const index = new FilterIndex<number>();
  for (let item = 0; item < 1000; item += 1) index.add({ endorsers: [`endorser-${item}`] }, item);
  let looks = 0;
  const change: ChangeFacets = {
    types: 'created',
    ...{ states: 'OR', levels: 'city', elections: 'or-2026', categories: 'labor' },
    ...{ contest_kinds: 'candidate', endorser_states: 'OR', endorsers: 'endorser-7' },
  };
  const counted = new Proxy<ChangeFacets>(change, {
    get(facets, field) {
      looks += 1;
      return facets[field as keyof ChangeFacets];
    },
  });
  expect(found(index, counted)).toEqual([7]);
  expect(looks).toBeLessThan(20);
});

test('equivalent filters have the same name, in any order of fields and values', () => {
  const shuffled = filter.chain((wanted) => {
    const fields = Object.entries(wanted).map(([field, values]) =>
      fc
        .tuple(fc.shuffledSubarray([...values], { minLength: values.length }), fc.subarray([...values]))
        .map(([all, again]) => [field, [...all, ...again]] as const),
    );
    return fc
      .tuple(...fields)
      .chain((entries) => fc.shuffledSubarray(entries, { minLength: entries.length }))
      .map((entries) => ({ wanted, other: Object.fromEntries(entries) as StreamFilter }));
  });
  fc.assert(fc.property(shuffled, ({ wanted, other }) => filterKey(wanted) === filterKey(other)));
});

test('different filters have different names', () => {
  fc.assert(
    fc.property(filter, filter, facets, (one, other, change) => {
      fc.pre(createPredicate(one)(change) !== createPredicate(other)(change));
      return filterKey(one) !== filterKey(other);
    }),
  );
});

test('a filter with a field of a newer version matches nothing, with and without the index', () => {
  const newer = { measure_codes: ['A'] } as StreamFilter;
  fc.assert(
    fc.property(facets, (change) => {
      const index = new FilterIndex<string>();
      index.add(newer, 'newer');
      const found: string[] = [];
      index.forEachMatch(change, (item) => found.push(item));
      expect(found).toEqual([]);
      expect(createPredicate(newer)(change)).toBe(false);
    }),
    { numRuns: 20 },
  );
});
