import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compressPiece,
  GZIP_HEADER,
  GzipMember,
  type GzipPiece,
  storePiece,
} from '../../feed/gzip-member.ts';

function join(pieces: readonly GzipPiece[]): Buffer {
  const member = new GzipMember();
  for (const piece of pieces) member.add(piece);
  return Buffer.concat([GZIP_HEADER, ...pieces.map(({ bytes }) => bytes), member.ending]);
}

const piece = fc.record({
  text: fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('ab', 'é', '"name":') })),
  pack: fc.constantFrom(compressPiece, storePiece),
});

test('any pieces in a row are one valid gzip member, whose checksum a client can verify', () => {
  fc.assert(
    fc.property(fc.array(piece), (list) => {
      const pieces = list.map(({ text, pack }) => pack(Buffer.from(text)));
      expect(gunzipSync(join(pieces)).toString()).toBe(list.map(({ text }) => text).join(''));
    }),
  );
});

test('a piece fits into members after others of any length', () => {
  const shared = compressPiece(Buffer.from('the same bytes for everybody'));
  for (const length of [1, 2, 1000, 65_535]) {
    const before = storePiece(Buffer.alloc(length, 'x'));
    expect(gunzipSync(join([before, shared, before]))).toHaveLength(28 + 2 * length);
  }
});

test('a member of more than two, and more than four gibibytes ends with its length modulo 2^32', () => {
  const piece = storePiece(Buffer.alloc(65_535));
  const member = new GzipMember();
  for (const pieces of [40_000, 80_000]) {
    for (let added = 0; added < 40_000; added += 1) member.add(piece);
    expect(member.ending.readUInt32LE(6)).toBe((pieces * 65_535) % 2 ** 32);
  }
});

test('a member whose checksum is wrong is refused by clients', () => {
  const bytes = join([compressPiece(Buffer.from('one')), storePiece(Buffer.from('two'))]);
  bytes[bytes.length - 8] = (bytes.at(-8) ?? 0) ^ 1;
  expect(() => gunzipSync(bytes)).toThrow('incorrect data check');
});

test('a stored block refuses more than it can hold', () => {
  expect(() => storePiece(Buffer.alloc(65_536))).toThrow(RangeError);
});
