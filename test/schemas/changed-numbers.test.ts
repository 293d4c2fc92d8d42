import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChangedNumber, findChangedNumber, parseUnchanged } from '../../schemas/catalogue/changed-numbers.ts';

/** The value of a number in a JSON text. */
const parse = (source: string): unknown => (parseUnchanged(`{"x":${source}}`) as { x: unknown }).x;

test.each([
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '1e309',
  '-1E+400',
  '0.1e0310',
  `${'9'.repeat(300)}e99`,
  '9'.repeat(309),
])('%s would change', (source) => {
  expect(parse(source)).toEqual(new ChangedNumber(source));
});

test.each([
  '0',
  '-0',
  '9007199254740991',
  '9007199254740992',
  '18014398509481984',
  '12345678901234567000',
  '1000000000000000000000',
  '1e308',
  '1.7976931348623157e308',
  '1e-400',
  '0.30000000000000004',
  '0.1000000000000000055511151231257827',
])('%s is kept', (source) => {
  expect(parse(source)).toBe(JSON.parse(source));
});

test('a number is marked in its place, in lists and objects, with spaces or without', () => {
  const big = '12345678901234567890';
  const mark = new ChangedNumber(big);
  expect(parseUnchanged(`{"a":[${big},\n ${big}, 1],"b":{"c": ${big}},"d":"${big}, ${big}"}`)).toEqual({
    a: [mark, mark, 1],
    b: { c: mark },
    d: `${big}, ${big}`,
  });
});

describe('of any JSON', () => {
  const digits = (max: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max });
  const literal = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 40n }),
      fc.option(digits(30), { nil: null }),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-', 'E+'), digits(4)), { nil: null }),
    )
    .map(([sign, whole, fraction, exponent]) =>
      [
        sign,
        whole,
        fraction && `.${fraction.join('')}`,
        exponent && `${exponent[0]}${exponent[1].join('')}`,
      ].join(''),
    );

  test('no number that becomes infinite or another whole number goes unmarked', () => {
    fc.assert(
      fc.property(literal, (source) => {
        const value = parse(source);
        const plain = Number(source);
        const changes =
          !Number.isFinite(plain) ||
          (/^-?\d+$/.test(source) && BigInt(plain) !== BigInt(source) && String(plain) !== source);
        expect(value).toEqual(changes ? new ChangedNumber(source) : JSON.parse(source));
        // Neither numbers within texts nor other numbers matter.
        const text = `{"a": "${source}, \\": ${source}","b":[0.12345678901234567,{"c": ${source}}, 1]}`;
        expect(findChangedNumber(text)).toBe(changes ? source : null);
      }),
    );
  });

  test('a value that JavaScript has written is read unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseUnchanged(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
