import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../gateway/http/api-error.ts';
import { compileParameters } from '../../../gateway/http/parameters.ts';
import {
  endorsementFilters,
  lang,
  paging,
  polling,
  streamFilters,
  streamStart,
} from '../../../schemas/http/parameters.ts';
import { STATE_CODES } from '../../../schemas/vocabulary.ts';
import { text } from '../../helpers/properties/arbitraries.ts';

const readList = compileParameters({ ...endorsementFilters, lang, ...paging });
const readEvents = compileParameters({ ...streamFilters, ...streamStart, ...polling });
const readNothing = compileParameters({});
const NAMES = [...Object.keys(endorsementFilters), 'lang', ...Object.keys(paging)];
const ACCEPTED = `Accepted are: ${NAMES.join(', ')}.`;
const many = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`).join(',');

describe('parameters that are accepted', () => {
  test('an omitted parameter has its default or is absent', () => {
    expect(readList('')).toEqual({ lang: 'en', limit: 100 });
    expect(readEvents('')).toEqual({ limit: 100, wait: 0 });
    expect(readNothing('')).toEqual({});
  });

  test.each([
    ['limit=1', { limit: 1 }],
    ['limit=500', { limit: 500 }],
    ['contest=2147483648', { contest: 2 ** 31 }],
    ['contest=9007199254740992', { contest: 2 ** 53 }],
    ['upcoming=true', { upcoming: true }],
    ['upcoming=false', { upcoming: false }],
    ['lang=es', { lang: 'es' }],
    ['states=CA', { states: ['CA'] }],
    ['states=CA,OR&levels=city', { states: ['CA', 'OR'], levels: ['city'] }],
    ['states=CA%2COR', { states: ['CA', 'OR'] }],
    ['endorser_states=national,OR', { endorser_states: ['national', 'OR'] }],
    ['endorsers=caf%C3%A9,a+b', { endorsers: ['café', 'a b'] }],
    ['%73tates=CA', { states: ['CA'] }],
    ['&&states=CA&', { states: ['CA'] }],
    ['cursor=a=b', { cursor: 'a=b' }],
  ])('%s', (query, expected) => expect(readList(query)).toEqual({ lang: 'en', limit: 100, ...expected }));

  test.each([
    ['limit=1000&wait=25', { limit: 1000, wait: 25 }],
    ['since=2026-11-03T00:00:00Z', { since: '2026-11-03T00:00:00Z' }],
    ['since=2026-11-03T00:00:00.5%2B02:00', { since: '2026-11-03T00:00:00.5+02:00' }],
    ['from=earliest', { from: 'earliest' }],
  ])('%s', (query, expected) => expect(readEvents(query)).toEqual({ limit: 100, wait: 0, ...expected }));

  test('500 values of a filter', () => {
    expect(readList(`endorsers=${many(500)}`).endorsers).toHaveLength(500);
  });

  test('the result of one call does not leak into the next', () => {
    readList('limit=7&states=CA');
    expect(readList('')).toEqual({ lang: 'en', limit: 100 });
  });
});

const LIMIT = 'limit must be a whole number from 1 to 500';
const ID = 'contest must be a whole number from 1 to 9007199254740992';
const SINCE =
  'since must be a time with its offset from UTC, such as 2026-11-03T00:00:00Z (+ is written %2B)';

describe('parameters that are refused', () => {
  test.each([
    ['limit=0', `${LIMIT}, is 0.`],
    ['limit=501', `${LIMIT}, is 501.`],
    ['limit=1e2', `${LIMIT}, is "1e2".`],
    ['limit=%2B5', `${LIMIT}, is "+5".`],
    ['limit=+5', `${LIMIT}, is " 5".`],
    ['limit=-1', `${LIMIT}, is "-1".`],
    ['limit=05', `${LIMIT}, is "05".`],
    ['limit=1.0', `${LIMIT}, is "1.0".`],
    ['limit=0x10', `${LIMIT}, is "0x10".`],
    ['limit=ten', `${LIMIT}, is "ten".`],
    ['limit=', `${LIMIT}, is "".`],
    ['limit', `${LIMIT}, is "".`],
    ['limit=9999999999999999999', `${LIMIT}, is "9999999999999999999".`],
    ['contest=9007199254740993', `${ID}, is "9007199254740993".`],
    ['contest=9007199254740994', `${ID}, is 9007199254740994.`],
    ['upcoming=1', 'upcoming must be true or false, is "1".'],
    ['upcoming=TRUE', 'upcoming must be true or false, is "TRUE".'],
    ['lang=fr', 'lang must be en or es, is "fr".'],
    ['cursor=', 'cursor must be a cursor of this service, at most 9000 characters, is "".'],
    [
      `cursor=${'x'.repeat(9001)}`,
      'cursor must be a cursor of this service, at most 9000 characters, has 9,001.',
    ],
    ['states=ZZ', `states[0] must be one of ${STATE_CODES.join(', ')}, is "ZZ".`],
    ['states=CA,or', `states[1] must be one of ${STATE_CODES.join(', ')}, is "or".`],
    ['states=CA, OR', `states[1] must be one of ${STATE_CODES.join(', ')}, is " OR".`],
    ['levels=galaxy', 'levels[0] must be one of federal, state, county, city, school, special, is "galaxy".'],
    ['contest_kinds=x', 'contest_kinds[0] must be one of candidate, measure, retention, is "x".'],
    ['states=', 'states has an empty item: "".'],
    ['states=CA,', 'states has an empty item: "CA,".'],
    ['states=,CA', 'states has an empty item: ",CA".'],
    ['endorsers=a,,b', 'endorsers has an empty item: "a,,b".'],
    [
      `endorsers=${many(501)}`,
      'endorsers must be at most 500 endorser slugs, comma-separated, is a list of 501.',
    ],
    [`endorsers=${'x'.repeat(201)}`, 'endorsers[0] must be text of 1 to 200 characters, has 201.'],
    ['states=CA&states=OR', 'states is given twice; give its values comma-separated.'],
    ['limit=5&%6Cimit=5', 'limit is given twice; give it once.'],
    ['state=CA', `There is no parameter "state" here. Did you mean states? ${ACCEPTED}`],
    ['LIMIT=5', `There is no parameter "LIMIT" here. Did you mean limit? ${ACCEPTED}`],
    ['endorser=x', `There is no parameter "endorser" here. Did you mean endorsers? ${ACCEPTED}`],
    ['latitude=1', `There is no parameter "latitude" here. ${ACCEPTED}`],
    ['__proto__=1', `There is no parameter "__proto__" here. ${ACCEPTED}`],
    ['constructor=1', `There is no parameter "constructor" here. ${ACCEPTED}`],
    ['=5', `There is no parameter "" here. ${ACCEPTED}`],
    ['endorsers=a%00b', 'The query has %00; no parameter takes a NUL character.'],
    ['%00=1', 'The query has %00; no parameter takes a NUL character.'],
    ['endorsers=%', 'The query has "%", which is not percent-encoded UTF-8.'],
    ['endorsers=%zz', 'The query has "%zz", which is not percent-encoded UTF-8.'],
    ['endorsers=%C3', 'The query has "%C3", which is not percent-encoded UTF-8.'],
    ['endorsers=%ED%A0%80', 'The query has "%ED%A0%80", which is not percent-encoded UTF-8.'],
  ])('%s', (query, message) => {
    expect(() => readList(query)).toThrow(new ApiError('invalid_parameter', message));
  });

  test.each([
    ['limit=1001', 'limit must be a whole number from 1 to 1000, is 1001.'],
    ['wait=26', 'wait must be a whole number from 0 to 25, is 26.'],
    ['from=now', 'from must be latest or earliest, is "now".'],
    [
      'types=endorsement.created',
      'types[0] must be one of created, updated, deleted, is "endorsement.created".',
    ],
    ['since=2026-11-03', `${SINCE}, is "2026-11-03".`],
    ['since=2026-02-30T00:00:00Z', `${SINCE}, is "2026-02-30T00:00:00Z".`],
    ['since=2026-11-03T00:00:00', `${SINCE}, is "2026-11-03T00:00:00".`],
    ['since=2026-11-03T00:00:00+02:00', `${SINCE}, is "2026-11-03T00:00:00 02:00".`],
    ['since=1793664000', `${SINCE}, is "1793664000".`],
  ])('%s', (query, message) => {
    expect(() => readEvents(query)).toThrow(new ApiError('invalid_parameter', message));
  });

  test('any parameter of an endpoint that takes none', () => {
    expect(() => readNothing('limit=5')).toThrow(
      'There is no parameter "limit" here. This endpoint takes none.',
    );
  });
});

test('any query is either read or refused with an ApiError', () => {
  const name = fc.oneof(fc.constantFrom(...NAMES, '__proto__', ''), text);
  const part = fc.oneof(
    text,
    text.map(encodeURIComponent),
    fc.constantFrom('%', '%00', '1', 'CA', 'true', ','),
  );
  const query = fc
    .array(
      fc.tuple(name, part).map(([key, value]) => `${key}=${value}`),
      { maxLength: 4 },
    )
    .map((pairs) => pairs.join('&'));
  fc.assert(
    fc.property(fc.oneof(query, text), (any) => {
      try {
        expect(readList(any)).toMatchObject({ limit: expect.any(Number) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        expect([error.status, error.code]).toEqual([400, 'invalid_parameter']);
      }
    }),
    { numRuns: 2000 },
  );
});
