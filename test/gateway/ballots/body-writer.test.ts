import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BodyTooLargeError, BodyWriter } from '../../../gateway/ballots/body-writer.ts';

const digest = (bytes: Buffer) => hash('sha1', bytes, 'buffer');

/** Short texts and ones that are longer than a block, of characters of one, two and three bytes. */
const text = fc
  .tuple(fc.constantFrom('a', 'é', '€', '😀', '\u2028'), fc.constantFrom(0, 1, 100, 9000, 30_000, 70_000))
  .map(([character, times]) => character.repeat(times));
const part = fc.oneof(
  ...(['text', 'copy', 'share'] as const).map((kind) => fc.record({ kind: fc.constant(kind), text })),
);

test('a body has all of its parts in order, with Unicode’s line breaks escaped', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const writer = new BodyWriter();
      let expected = '';
      for (const { kind, text } of parts) {
        const bytes = Buffer.from(text);
        if (kind === 'text') writer.text(text);
        else if (kind === 'copy') writer.copy(Buffer.from(`<${text}>`), 1, bytes.length + 1);
        else writer.share(bytes, digest(bytes));
        expected += kind === 'text' ? text.replaceAll('\u2028', '\\u2028') : text;
        expect(writer.length).toBe(Buffer.byteLength(expected));
      }
      const { pieces, length } = writer.finish();
      expect(Buffer.concat(pieces).toString()).toBe(expected);
      expect(length).toBe(Buffer.byteLength(expected));
    }),
    { numRuns: 50 },
  );
});

test('a body of more bytes than are allowed is an error, however it is written', () => {
  const write = (maxBytes: number) => {
    const writer = new BodyWriter(maxBytes);
    writer.text('a'.repeat(10_000));
    writer.share(Buffer.alloc(10_000), Buffer.alloc(20));
    writer.copy(Buffer.alloc(70_000), 0, 70_000);
    return writer.finish().length;
  };
  expect(write(90_000)).toBe(90_000);
  for (const maxBytes of [9999, 19_999, 89_999]) expect(() => write(maxBytes)).toThrow(BodyTooLargeError);
});

test('long shared bytes are not copied, and their digest stands for them in the ETag', () => {
  const tagOf = (shared: Buffer, given: Buffer) => {
    const writer = new BodyWriter();
    writer.text('[');
    writer.share(shared, given);
    writer.text(']');
    const { pieces, etag } = writer.finish();
    return { etag, isShared: pieces.includes(shared) };
  };
  const [long, other] = [Buffer.alloc(8192, 'a'), Buffer.alloc(8192, 'b')];
  expect(tagOf(long, digest(long))).toEqual(tagOf(Buffer.from(long), digest(long)));
  expect(tagOf(long, digest(long)).isShared).toBe(true);
  expect(tagOf(long, digest(other)).etag).not.toBe(tagOf(long, digest(long)).etag);
  const short = long.subarray(1);
  expect(tagOf(short, digest(short)).isShared).toBe(false);
  expect(tagOf(short, digest(short)).etag).not.toBe(tagOf(other.subarray(1), digest(short)).etag);
});
