import { expect, test } from '@jest/globals';
import * as field from '../../schemas/catalogue/fields.ts';
import { oversizedParts } from '../../schemas/catalogue/oversized.ts';
import { createRecordCheck } from '../../schemas/catalogue/record-check.ts';

const item = field.record({ name: field.key, details: field.optional(field.anyObject) });
const ballot = field.record({
  items: field.listOf(item, 3),
  open: field.optional(field.openRecord({ a: field.key })),
});
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, n]));

test.each<[string, unknown]>([
  ['a list of as many items as allowed', { items: Array(3).fill({ name: 'a' }) }],
  ['twenty unknown fields, which are reported one by one', { ...fields(20), items: [] }],
  ['many fields of an object that is kept unchanged', { items: [{ details: fields(1000) }] }],
  ['many fields of an open object', { items: [], open: fields(1000) }],
  ['a value of another type', { items: 'abcdef', open: [1, 2, 3, 4] }],
  ['null', null],
])('%s: nothing is oversized', (_, value) => {
  expect(oversizedParts(value, ballot)).toEqual([]);
});

test.each<[string, unknown, string | null, string]>([
  ['a list', { items: Array(4).fill({}) }, 'items', 'must be a list of at most 3, is a list of 4'],
  [
    'unknown fields',
    { ...fields(21), items: [] },
    null,
    'has 21 unknown fields, the first x0; known are items, open',
  ],
  [
    'unknown fields of an item',
    { items: [{ name: 'a' }, fields(21)] },
    'items[1]',
    'has 21 unknown fields, the first x0; known are name, details',
  ],
])('%s: the problem names the field and the number', (_, value, name, message) => {
  expect(oversizedParts(value, ballot)).toEqual([{ field: name, message }]);
});

test('INV-15: the name of a field in a problem is shortened', () => {
  const long = 'n'.repeat(3_000_000);
  const parsed = createRecordCheck(ballot)({ items: [{ name: 'a', details: { [long]: 'a\0' } }] });
  expect(parsed).toMatchObject({
    ok: false,
    problems: [{ field: expect.stringMatching(/^items\[0\]\.details\.n+…n+$/) }],
  });
  expect(JSON.stringify(parsed).length).toBeLessThan(400);
});

test('INV-15: a list that is too long is refused without a look at its items', () => {
  let looks = 0;
  const items = Array.from({ length: 4 }, () =>
    Object.defineProperty({}, 'name', {
      enumerable: true,
      get: () => {
        looks += 1;
        return 7;
      },
    }),
  );
  const parsed = createRecordCheck(ballot)({ items });
  expect(parsed).toMatchObject({ ok: false, problems: [{ field: 'items' }] });
  // The check of storable texts looks at each value once.
  expect(looks).toBe(4);
});
