import { describe, expect, test } from '@jest/globals';
import { normalizeSubmission, refuseLarge, refuseWrongKey } from '../../domain/submission-rules.ts';
import type { SubmittedPick } from '../../schemas/submission.ts';
import { submit } from '../helpers/ballots/mayoral-submissions.ts';
import { pick } from '../helpers/ballots/submissions.ts';

const long = (length: number) => 'x'.repeat(length);
const urlOf = (length: number) => `https://a.example/${long(length - 18)}`;
const picks = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);
const named = (names: { endorser?: string; contest?: string }) => ({ ...submit('endorse', 'ann'), ...names });

describe('a pick', () => {
  test.each<[string, Partial<SubmittedPick>]>([
    ['without other values', {}],
    ['of a choice with the longest key', { choice: long(200) }],
    ['of a choice in any script', { choice: 'Ñandú / 候選人' }],
    ['ranked first', { rank: 1 }],
    [
      'with statements of the greatest length',
      { statement: long(20_000), statement_es: '😀'.repeat(20_000) },
    ],
    ['with a statement of several lines', { statement: 'a\n\nb\nc' }],
    ['with the longest address', { source_url: urlOf(2000) }],
    ['published on a leap day', { published_on: '2024-02-29' }],
    ['with details', { details: '{"a":[1,{"b":null}]}' }],
  ])('%s is well formed', (_, overrides) => {
    for (const submission of [
      submit('endorse', pick('ann', overrides)),
      submit('position', 'bob', pick('ann', overrides)),
    ]) {
      expect(normalizeSubmission(submission)).toEqual(submission);
    }
  });

  test.each<[string, Partial<SubmittedPick>, Partial<SubmittedPick>]>([
    ['a choice', { choice: ' Zoe\u0301\u200b ' }, { choice: 'Zoé' }],
    ['a statement', { statement: 'A\u00a0 b \r\n\r\n\r\nc\u2028d\n' }, { statement: 'A b\n\nc\nd' }],
    ['blank statements, as if they were missing', { statement: ' \n', statement_es: '\u200b' }, {}],
    ['an address', { source_url: ' https://a.example/\u200b ' }, { source_url: 'https://a.example/' }],
    [
      'an address, but not its letters',
      { source_url: 'https://a.example/e\u0301' },
      { source_url: 'https://a.example/e\u0301' },
    ],
    ['nothing of the details', { details: '{"a": " b "}' }, { details: '{"a": " b "}' }],
    ['details that are null', { details: 'null' }, { details: null }],
  ])('has one form of %s', (_, given, stored) => {
    for (const action of ['endorse', 'position'] as const) {
      expect(normalizeSubmission(submit(action, pick('ann', given)))).toEqual(
        submit(action, pick('ann', stored)),
      );
    }
  });

  const RANK = 'rank must be a whole number from 1 to 2147483647';
  const LONG = 'must be text of at most 20,000 characters';
  const URL_TITLE = 'must be an http or https address of at most 2,000 characters';
  const DATE = 'must be a real date as YYYY-MM-DD';
  const NUL = 'holds a NUL character (\\u0000), which cannot be stored';
  const HALF = 'holds half of a surrogate pair, which is not a character';
  test.each<[string, Partial<SubmittedPick>, string]>([
    ['no choice', { choice: '' }, 'choice must be text of 1 to 200 characters, is ""'],
    [
      'a choice that is too long',
      { choice: long(201) },
      'choice must be text of 1 to 200 characters, has 201',
    ],
    ['a NUL', { choice: 'a\0' }, `choice ${NUL}`],
    ['rank 0', { rank: 0 }, `${RANK}, is 0`],
    ['a negative rank', { rank: -1 }, `${RANK}, is -1`],
    ['a fractional rank', { rank: 1.5 }, `${RANK}, is 1.5`],
    ['a statement that is too long', { statement: long(20_001) }, `statement ${LONG}, has 20,001`],
    ['a NUL in a statement', { statement: '\0' }, `statement ${NUL}`],
    ['half of a surrogate pair', { statement_es: '\ud800' }, `statement_es ${HALF}`],
    ['an address that is too long', { source_url: urlOf(2001) }, `source_url ${URL_TITLE}, has 2,001`],
    [
      'a choice that shows nothing',
      { choice: '\u200b' },
      'choice must be text of 1 to 200 characters, is ""',
    ],
    ['words for an address', { source_url: 'at home' }, `source_url ${URL_TITLE}, is "at home"`],
    ['an address without a scheme', { source_url: 'a.example' }, `source_url ${URL_TITLE}, is "a.example"`],
    [
      'an address that runs code',
      { source_url: 'javascript:a()' },
      `source_url ${URL_TITLE}, is "javascript:a()"`,
    ],
    ['an impossible date', { published_on: '2026-02-30' }, `published_on ${DATE}, is "2026-02-30"`],
    ['details that are a list', { details: '[]' }, 'details must be an object, is a list of 0'],
    ['details that are not JSON', { details: '{' }, 'details must be an object, is "{"'],
    ['a NUL in details', { details: '{"a":"\\u0000"}' }, `details.a ${NUL}`],
  ])('with %s is refused with the field, the expected form and the value', (_, overrides, message) => {
    expect(normalizeSubmission(submit('endorse', pick('ann', overrides)))).toEqual({
      code: 'invalid_submission',
      message: `${message}.`,
    });
    expect(normalizeSubmission(submit('position', 'bob', pick('ann', overrides)))).toEqual({
      code: 'invalid_submission',
      message: `picks[1].${message}.`,
    });
  });
});

describe('a submission', () => {
  test.each([
    ['endorses one choice', submit('endorse', 'ann')],
    ['withdraws one choice', submit('withdraw', 'ann')],
    ['is a position without picks', submit('position')],
    ['is a position of 500 picks', submit('position', ...picks(500))],
    ['has several picks without ranks', submit('position', 'ann', 'bob')],
  ])('that %s is well formed', (_, submission) => {
    expect(normalizeSubmission(submission)).toEqual(submission);
  });

  test('has one form of the names of its endorser and its contest', () => {
    const submission = named({ endorser: ' bakers\u200b', contest: 'e/man\u0303ana\u00a0' });
    expect(normalizeSubmission(submission)).toEqual(named({ endorser: 'bakers', contest: 'e/mañana' }));
  });

  const SLUG = 'must be a slug (a to z, 0 to 9 and single hyphens, at most 200 characters)';
  test.each([
    ['no endorser', named({ endorser: '' }), `endorser ${SLUG}, is "".`],
    [
      'a name in place of a slug',
      named({ endorser: 'Bakers Local' }),
      `endorser ${SLUG}, is "Bakers Local".`,
    ],
    [
      'a contest without its election',
      named({ contest: 'mayor' }),
      'contest must be an election slug, a slash and a contest slug, is "mayor".',
    ],
    ['nothing to endorse', submit('endorse'), 'picks must be exactly one to endorse, are 0.'],
    ['two withdrawn choices', submit('withdraw', 'a', 'b'), 'picks must be exactly one to withdraw, are 2.'],
    [
      'too many picks',
      submit('position', ...picks(501)),
      'picks must be a list of at most 500, is a list of 501.',
    ],
    [
      'a choice picked twice',
      submit('position', 'ann', 'bob', 'ann'),
      'picks[2].choice must be unique in the position, is "ann" as in picks[0].',
    ],
    [
      'a rank given twice',
      submit('position', pick('ann', { rank: 2 }), pick('bob', { rank: 2 })),
      'picks[1].rank must be unique in the position, is 2 as in picks[0].',
    ],
    [
      'two problems, both named',
      submit('endorse', pick('', { rank: 0 })),
      'choice must be text of 1 to 200 characters, is ""; rank must be a whole number from 1 to 2147483647, is 0.',
    ],
  ])('is refused for %s', (_, submission, message) => {
    expect(normalizeSubmission(submission)).toEqual({ code: 'invalid_submission', message });
  });
});

describe('INV-15: a submission is refused by its size before it is decoded', () => {
  test('above a mebibyte', () => {
    expect(refuseLarge(1_048_577)).toEqual({
      code: 'too_large',
      message: 'A submission may have 1,048,576 bytes, and this has 1,048,577.',
    });
  });
  test('not below', () => expect(refuseLarge(1_048_576)).toBeUndefined());
});

describe('the key of a record', () => {
  const submission = named({ endorser: 'acme' });
  test("must be the endorser's slug", () => {
    expect(refuseWrongKey(submission, Buffer.from('acme'))).toBeUndefined();
  });
  test.each([
    ['missing', null, 'missing'],
    ['empty', Buffer.alloc(0), '""'],
    ["another endorser's", Buffer.from('bakers'), '"bakers"'],
    ['longer', Buffer.from('acmee'), '"acmee"'],
  ])('is refused if it is %s', (_, key, shown) => {
    expect(refuseWrongKey(submission, key)).toEqual({
      code: 'wrong_key',
      message: `The record's key must be its endorser's slug, "acme", is ${shown}.`,
    });
  });
});
