import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { TextCache } from '../../schemas/text-cache.ts';

/** Many texts with the same beginning, middle and end, so that they replace each other. */
const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20 }),
  fc.tuple(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 })).map(([a, b]) => `aaaa${a}aaaa${b}aaaa`),
);

test('texts equal their bytes after any earlier look-ups', () => {
  const cache = new TextCache();
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), fc.nat(9), (texts, start) => {
      // The memory is reused, as by fetched batches.
      const source = Buffer.alloc(1000);
      for (const each of texts) {
        const length = source.write(each, start);
        expect(cache.textOf(new DataView(source.buffer, source.byteOffset), start, length)).toBe(
          source.toString('utf8', start, start + length),
        );
      }
    }),
    { numRuns: 1000 },
  );
});

test('a text that comes again is the same string, not a new one', () => {
  const cache = new TextCache();
  const source = Buffer.from('lanternton-long-table-club');
  const view = new DataView(source.buffer, source.byteOffset, source.length);
  cache.textOf(view, 0, source.length);
  const decode = jest.spyOn(Buffer.prototype, 'toString');
  expect(cache.textOf(view, 0, source.length)).toBe('lanternton-long-table-club');
  expect(decode).not.toHaveBeenCalled();
  decode.mockRestore();
});
