import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { copyPlain, createLiteral, writeWords } from '../../schemas/json-words.ts';

const ascii = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});

test('literals of any length follow each other without a gap', () => {
  fc.assert(
    fc.property(fc.array(ascii), (texts) => {
      const target = new DataView(new ArrayBuffer(texts.join('').length + 3));
      let end = 0;
      for (const text of texts) {
        const literal = createLiteral(text);
        writeWords(target, end, literal);
        end += literal.length;
      }
      expect(Buffer.from(target.buffer, 0, end).toString()).toBe(texts.join(''));
    }),
  );
});

/** Mostly plain bytes, so that most strings are plain or nearly. */
const bytes = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0x20, max: 0x7f }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  ),
  { maxLength: 20 },
);

/** Whether the bytes are ASCII that JSON does not escape. */
const isPlain = (text: string) =>
  Buffer.from(text, 'latin1').every((byte) => byte < 0x80) && JSON.stringify(text) === `"${text}"`;

test('bytes are copied from and to any place if JSON escapes none of them, and nothing else is written', () => {
  fc.assert(
    fc.property(bytes, fc.nat(7), fc.nat(7), (values, from, to) => {
      const text = Buffer.from(values).toString('latin1');
      const source = Buffer.concat([Buffer.alloc(from, '"'), Buffer.from(values), Buffer.alloc(3, '"')]);
      const target = Buffer.alloc(to + values.length + 3, '#');
      const copied = copyPlain(viewOf(source), from, viewOf(target), to, values.length);
      expect(copied).toBe(isPlain(text));
      if (copied) expect(target.toString('latin1')).toBe(`${'#'.repeat(to)}${text}###`);
    }),
    { numRuns: 2000 },
  );
});

test('every byte is judged, in every place of a word', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let place = 0; place < 6; place += 1) {
      const source = Buffer.alloc(6, 'a');
      source[place] = byte;
      const target = Buffer.alloc(6);
      const copied = copyPlain(viewOf(source), 0, viewOf(target), 0, 6);
      expect([byte, place, copied]).toEqual([byte, place, isPlain(source.toString('latin1'))]);
    }
  }
});

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
