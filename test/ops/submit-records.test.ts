import { describe, expect, test } from '@jest/globals';
import { parseSubmission } from '../../schemas/submission-files.ts';
import { pick as pickOf } from '../helpers/ballots/submissions.ts';
import { problemsOf } from '../helpers/problems.ts';

const ABOUT = { endorser: 'bakers-local-1', contest: 'or-2026-11-03-general/mayor' };
const PICK = pickOf('ann');

describe('the three forms', () => {
  test('one pick is an endorsement, with or without its action', () => {
    const value = { ...ABOUT, action: 'endorse', picks: [PICK] };
    expect(parseSubmission({ ...ABOUT, choice: 'ann' })).toEqual({ ok: true, value });
    expect(parseSubmission({ ...ABOUT, choice: 'ann', action: 'endorse', rank: null })).toEqual({
      ok: true,
      value,
    });
  });

  test('every field of a pick is sent, with its texts in their one form', () => {
    const pick = {
      choice: 'ann',
      rank: 2,
      statement: 'line  one\r\nline "two" ',
      statement_es: 'si\u0301',
      source_url: ' https://a.example/x ',
      published_on: '2026-09-01',
      details: { a: [1] },
    };
    expect(parseSubmission({ ...ABOUT, ...pick })).toEqual({
      ok: true,
      value: {
        ...ABOUT,
        action: 'endorse',
        picks: [
          {
            ...pick,
            statement: 'line one\nline "two"',
            statement_es: 'sí',
            source_url: 'https://a.example/x',
            details: '{"a":[1]}',
          },
        ],
      },
    });
  });

  test('a field of the other form may be null, which is the same as missing', () => {
    const endorse = { ...ABOUT, choice: 'ann' };
    expect(parseSubmission({ ...endorse, picks: null })).toEqual(parseSubmission(endorse));
    const position = { ...ABOUT, action: 'position', picks: [{ choice: 'ann' }] };
    const nulls = { choice: null, rank: null, statement: null, details: null };
    expect(parseSubmission({ ...position, ...nulls })).toEqual(parseSubmission(position));
  });

  test.each(['Private e-mail', 'a.example', 'Letter: to the members'])(
    'a source of words, "%s", is left to the service to judge',
    (words) => {
      expect(parseSubmission({ ...ABOUT, choice: 'ann', source_url: words })).toMatchObject({ ok: true });
    },
  );

  test('a withdrawal', () => {
    expect(parseSubmission({ ...ABOUT, action: 'withdraw', choice: 'ann' })).toEqual({
      ok: true,
      value: { ...ABOUT, action: 'withdraw', picks: [PICK] },
    });
  });

  test('a position whose picks have no rank, and empty details, which are not sent', () => {
    const picks = [
      { choice: 'ann', rank: null, source_url: ' https://a.example ', details: {} },
      { choice: 'bob', rank: null },
    ];
    expect(parseSubmission({ ...ABOUT, action: 'position', picks })).toEqual({
      ok: true,
      value: {
        ...ABOUT,
        action: 'position',
        picks: [pickOf('ann', { source_url: 'https://a.example' }), pickOf('bob')],
      },
    });
  });

  test('a position, even without picks', () => {
    const picks = [
      { choice: 'ann', rank: 1 },
      { choice: 'bob', rank: 3 },
    ];
    expect(parseSubmission({ ...ABOUT, action: 'position', picks })).toMatchObject({
      value: { action: 'position', picks },
    });
    expect(parseSubmission({ ...ABOUT, action: 'position', picks: [] })).toEqual({
      ok: true,
      value: { ...ABOUT, action: 'position', picks: [] },
    });
  });
});

const position = (picks: object[]) => ({ ...ABOUT, action: 'position', picks });
const SOURCE = 'must be an http or https address of at most 2,000 characters';
const INTEGER = 'must be a whole number from 1 to 2147483647';

describe('a submission is refused, with its field and its value, for', () => {
  test.each<[string, unknown, string]>([
    ['no choice', ABOUT, 'choice is missing'],
    ['no record at all', null, expect.stringContaining('null') as unknown as string],
    [
      'an unknown action',
      { ...ABOUT, choice: 'a', action: 'add' },
      'action must be one of endorse, withdraw, position, is "add"',
    ],
    [
      'picks without a position',
      { ...ABOUT, choice: 'a', picks: [] },
      expect.stringContaining('picks is not a known field') as unknown as string,
    ],
    ['a rank of none', { ...ABOUT, choice: 'a', rank: 0 }, `rank ${INTEGER}, is 0`],
    ['a rank as text', { ...ABOUT, choice: 'a', rank: '1' }, `rank ${INTEGER}, is "1"`],
    [
      'two picks of one rank',
      position([
        { choice: 'a', rank: 1 },
        { choice: 'b', rank: 2 },
        { choice: 'c', rank: 1 },
      ]),
      'picks[2].rank must be unique in the position, is 1 as in picks[0]',
    ],
    [
      'two picks of one choice',
      position([{ choice: 'a' }, { choice: 'a' }]),
      'picks[1].choice must be unique in the position, is "a" as in picks[0]',
    ],
    [
      'a day that no calendar has',
      position([{ choice: 'a', published_on: '2025-02-29' }]),
      'picks[0].published_on must be a real date as YYYY-MM-DD, is "2025-02-29"',
    ],
    [
      'a statement that is too long',
      { ...ABOUT, choice: 'a', statement: 'x'.repeat(20_001) },
      'statement must be text of at most 20,000 characters, has 20,001',
    ],
    [
      'an invalid contest key',
      { ...ABOUT, contest: 'mayor', choice: 'a' },
      'contest must be an election slug, a slash and a contest slug, is "mayor"',
    ],
    [
      'a NUL character',
      { ...ABOUT, choice: 'a', statement_es: '\0' },
      'statement_es holds a NUL character (\\u0000), which cannot be stored',
    ],
    [
      'a source that runs code',
      { ...ABOUT, choice: 'a', source_url: ' javascript:alert(1)' },
      `source_url ${SOURCE}, is "javascript:alert(1)"`,
    ],
    [
      'a source of another protocol',
      position([{ choice: 'a', source_url: 'ftp://a.example/x' }]),
      `picks[0].source_url ${SOURCE}, is "ftp://a.example/x"`,
    ],
    ['an empty source', { ...ABOUT, choice: 'a', source_url: '' }, `source_url ${SOURCE}, is ""`],
    [
      'a blank source of a withdrawal',
      { ...ABOUT, action: 'withdraw', choice: 'a', source_url: '   ' },
      `source_url ${SOURCE}, is ""`,
    ],
    [
      'an empty source in a position',
      position([{ choice: 'a' }, { choice: 'b', source_url: '' }]),
      `picks[1].source_url ${SOURCE}, is ""`,
    ],
    [
      'an invalid http address',
      { ...ABOUT, choice: 'a', source_url: 'http://' },
      `source_url ${SOURCE}, is "http://"`,
    ],
    ['a value other than an object', 7, 'must be an object, is 7'],
  ])('%s', (_name, json, problem) => {
    expect(problemsOf(parseSubmission(json))).toEqual([problem]);
  });
});
