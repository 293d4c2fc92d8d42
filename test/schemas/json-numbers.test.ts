import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findRoundedNumber } from '../../schemas/json-numbers.ts';

test.each(['9007199254740993', '-12345678901234567890', '0.1234567890123456789', '1e400', '1e-400'])(
  '%s would be rounded, wherever it stands',
  (number) => {
    expect(findRoundedNumber(`{"a":[1,{"b":${number}}],"c":"x"}`)).toBe(number);
  },
);

test.each([
  '0',
  '-0',
  '0.0',
  '1.10',
  '100',
  '1e2',
  '1E+21',
  '9007199254740992',
  '123456789012345680000',
  '0.1',
])('%s is kept', (number) => {
  expect(findRoundedNumber(`[${number}]`)).toBeNull();
});

test('a text that is not JSON has no such number', () => {
  for (const text of ['', '{', '9007199254740993 words']) expect(findRoundedNumber(text)).toBeNull();
});

test('a text is no number, and every number that JavaScript writes is kept', () => {
  expect(findRoundedNumber('["9007199254740993"]')).toBeNull();
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(findRoundedNumber(JSON.stringify([number]))).toBeNull();
    }),
  );
});
