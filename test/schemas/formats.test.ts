import { expect, test } from '@jest/globals';
import { isCalendarDate, isHttpUrl, isHttpUrlOrWords } from '../../schemas/catalogue/formats.ts';

test.each([
  ['2026-11-03', true],
  ['2024-02-29', true],
  ['2000-02-29', true],
  ['0001-01-01', true],
  ['9999-12-31', true],
  ['2026-02-29', false],
  ['1900-02-29', false],
  ['2026-02-30', false],
  ['2026-04-31', false],
  ['2026-13-01', false],
  ['2026-00-10', false],
  ['2026-01-00', false],
  ['0000-01-01', false],
  ['2026-1-3', false],
  ['20261103', false],
  ['2026-11-03T00:00', false],
  [' 2026-11-03', false],
  ['2026-11-03\n', false],
  ['٢٠٢٦-١١-٠٣', false],
  ['', false],
])('isCalendarDate(%j) is %s', (text, expected) => {
  expect(isCalendarDate(text)).toBe(expected);
});

test('an empty text is not a day, even if it is checked first', async () => {
  // A query makes it another module, which has checked nothing yet.
  const address = new URL('../../schemas/catalogue/formats.ts?fresh', import.meta.url).href;
  const fresh: typeof import('../../schemas/catalogue/formats.ts') = await import(address);
  expect(fresh.isCalendarDate('')).toBe(false);
  expect(fresh.isCalendarDate('2026-11-03')).toBe(true);
  expect(fresh.isCalendarDate('')).toBe(false);
});

test.each([
  ['https://a.example', true],
  ['HTTP://a.example/ä?q=1#x', true],
  ['http://localhost:8080/', true],
  [' https://a.example\n', true],
  ['ftp://a.example', false],
  ['mailto:a@b.example', false],
  ['javascript:alert(1)', false],
  ['//a.example', false],
  ['a.example', false],
  ['https://', false],
  ['https://a b.example', false],
  ['https://a.example/x y', false],
  ['https://a.example\nhttps://b.example', false],
  ['', false],
])('isHttpUrl(%j) is %s', (text, expected) => {
  expect(isHttpUrl(text)).toBe(expected);
});

test.each([
  [' https://a.example\n', true],
  ['Private e-mail', true],
  ['a.example', true],
  ['Letter: to the members', true],
  ['Interview, 10:30', true],
  ['From a letter, mailto:a@b.example', true],
  ['', false],
  [' \n', false],
  ['ftp://a.example', false],
  ['mailto:a@b.example', false],
  ['JavaScript:alert(1)', false],
  [' data:text/html,x y', false],
  ['https://', false],
  ['https://a b.example', false],
])('isHttpUrlOrWords(%j) is %s', (text, expected) => {
  expect(isHttpUrlOrWords(text)).toBe(expected);
});
