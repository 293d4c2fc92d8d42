import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findRoundedNumber, parseAsWritten } from '../../schemas/json-numbers.ts';

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

test('a text is not a number, and every number that JavaScript writes is kept', () => {
  expect(findRoundedNumber('["9007199254740993"]')).toBeNull();
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(findRoundedNumber(JSON.stringify([number]))).toBeNull();
    }),
  );
});

describe('parseAsWritten', () => {
  const write = (json: string) => JSON.stringify(parseAsWritten(json));

  test.each(['12345678901234567890', '-9007199254740993', '1.0', '1.50', '1e3', '-1E+400', '-0', '0.10'])(
    'keeps %s as it is written, wherever it stands',
    (number) => {
      for (const json of [
        `[${number}]`,
        `{"a":${number}}`,
        `{"a":[1,{"b":[2,${number}],"c":"${number}"}]}`,
      ]) {
        expect(write(json)).toBe(json);
      }
      expect(write(`[ 1,\n ${number} ]`)).toBe(`[1,${number}]`);
    },
  );

  test('reads any other JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.parse(write(`[${json}]`))).toEqual(JSON.parse(`[${json}]`));
      }),
    );
    expect(() => parseAsWritten('{')).toThrow(SyntaxError);
  });
});
