import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generateApiKey, hashApiKey, isWellFormedApiKey } from '../../schemas/api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const key = fc.constant(null).map(generateApiKey);
/** A key that was never issued. Its checksum and hash must never change. */
const KNOWN = 'bes_0123456789ABCDEFGHIJKLMNOPQRSTUV3P1Fdh';

test('a key is bes_, 32 characters of base62 and 6 characters of checksum', () => {
  fc.assert(
    fc.property(key, (text) => {
      expect(text).toMatch(/^bes_[0-9A-Za-z]{38}$/);
      expect(isWellFormedApiKey(text)).toBe(true);
    }),
  );
});

test('keys are distinct and use every character of the alphabet', () => {
  const keys = Array.from({ length: 500 }, generateApiKey);
  expect(new Set(keys).size).toBe(keys.length);
  const used = new Set(keys.flatMap((text) => [...text.slice(4, -6)]));
  expect([...used].sort().join('')).toBe(ALPHABET);
});

test('the checksum detects any change of one character', () => {
  fc.assert(
    fc.property(key, fc.nat(41), fc.constantFrom(...ALPHABET, '_', ' ', 'é'), (text, index, character) => {
      const altered = text.slice(0, index) + character + text.slice(index + 1);
      expect(isWellFormedApiKey(altered)).toBe(altered === text);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['an empty text', ''],
  ['a prefix alone', 'bes_'],
  ['a key without its prefix', KNOWN.slice(4)],
  ['a truncated key', KNOWN.slice(0, -1)],
  ['a key with an extra character', `${KNOWN}0`],
  ['a key followed by a line break', `${KNOWN}\n`],
  ['a key in lower case', KNOWN.toLowerCase()],
])('%s is not well formed', (_, text) => {
  expect(isWellFormedApiKey(text)).toBe(false);
});

test('the checksum and the hash of a key never change, because issued keys depend on them', () => {
  expect(isWellFormedApiKey(KNOWN)).toBe(true);
  expect(hashApiKey(KNOWN).toString('hex')).toBe(
    '89ffd9a13535621faeb93a570ff88388271c2e371fffb225654f90551b5f9ed2',
  );
});
