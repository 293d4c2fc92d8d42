import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { TextCache } from '../../schemas/text-cache.ts';

/** Many texts that begin, go on and end alike, so that they take each other's place. */
const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20 }),
  fc.tuple(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 })).map(([a, b]) => `aaaa${a}aaaa${b}aaaa`),
);

test('texts are those of their bytes, whatever was asked for before', () => {
  const cache = new TextCache();
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), fc.nat(9), (texts, start) => {
      // The same memory again and again, as a batch of records comes in.
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
