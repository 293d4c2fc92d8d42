import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { joinField, problemOfError, showValue } from '../../schemas/problems.ts';

const LETTERS_78 = 'x'.repeat(78);

test.each([
  [undefined, 'missing'],
  [null, 'null'],
  [7, '7'],
  ['a"b', '"a\\"b"'],
  [[1, 2], 'a list of 2'],
  [[], 'a list of 0'],
  [{ a: 1 }, 'an object'],
  // 80 characters with the quotes.
  [LETTERS_78, `"${LETTERS_78}"`],
  [`${LETTERS_78}x`, `"${LETTERS_78}x…`],
  // Not cut within a character.
  [`${LETTERS_78}\u{1f600}`, `"${LETTERS_78}…`],
])('the value %j is shown as %s', (value, shown) => {
  expect(showValue(value)).toBe(shown);
});

test.each<[string | null, string | number, string]>([
  [null, 'choices', 'choices'],
  ['', 'choices', 'choices'],
  ['choices', 2, 'choices[2]'],
  ['choices[2]', 'label', 'choices[2].label'],
  [null, 0, '[0]'],
])('below %j, the part %j is %s', (parent, part, field) => {
  expect(joinField(parent, part)).toBe(field);
});

describe('an error of ajv', () => {
  const ajv = new Ajv({ verbose: true });
  const text = { type: 'string', title: 'text of at most 3 characters', maxLength: 3 };
  const check = ajv.compile({
    type: 'object',
    properties: {
      'a/b~c': text,
      list: { type: 'array', items: { type: 'object', properties: { name: text }, required: ['name'] } },
      numbered: { type: 'object', properties: { '10x': text, x10: text } },
      plain: { type: 'string', minLength: 1 },
    },
    additionalProperties: false,
  });
  const problemOf = (record: object) => {
    check(record);
    const [error] = check.errors ?? [];
    return error && problemOfError(error);
  };
  const TEXT = 'must be text of at most 3 characters';

  test.each<[string, object, string | null, string]>([
    ['of the record as a whole', [], null, 'must be object, is a list of 0'],
    ['of a field with a slash and a tilde', { 'a/b~c': 7 }, 'a/b~c', `${TEXT}, is 7`],
    ['of a field of an item', { list: [{}, { name: 7 }].slice(1) }, 'list[0].name', `${TEXT}, is 7`],
    ['of the eleventh item', { list: [...Array(10).fill({ name: 'a' }), {}] }, 'list[10].name', 'is missing'],
    ['of a missing field', { list: [{ name: 'a' }, {}] }, 'list[1].name', 'is missing'],
    ['of a field that begins with a number', { numbered: { '10x': 7 } }, 'numbered.10x', `${TEXT}, is 7`],
    ['of a field that ends with one', { numbered: { x10: 7 } }, 'numbered.x10', `${TEXT}, is 7`],
    [
      'of a text that is too long, by characters',
      { list: [{ name: '😀😀😀😀' }] },
      'list[0].name',
      `${TEXT}, has 4`,
    ],
    [
      'of an unknown field',
      { color: 1 },
      'color',
      'is not a known field; known are a/b~c, list, numbered, plain',
    ],
    [
      'of an unknown field with an unusual name',
      { 'a b': 1 },
      '"a b"',
      'is not a known field; known are a/b~c, list, numbered, plain',
    ],
    ['of a rule without a title', { plain: '' }, 'plain', 'must NOT have fewer than 1 characters, is ""'],
  ])('%s', (_, record, field, message) => {
    expect(problemOf(record)).toEqual({ field, message });
  });
});
