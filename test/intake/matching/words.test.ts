import { expect, test } from '@jest/globals';
import { foldWords } from '../../../intake/matching/words.ts';

test.each([
  ['St. Mark’s Club & Café', ['st', 'marks', 'club', 'and', 'cafe']],
  ['Women＆Men', ['women', 'and', 'men']],
  ['Anne-Marie O\u00b4Brien', ['anne', 'marie', 'obrien']],
  ["O'BRIEN", ['obrien']],
  ['Oʻahu', ['oahu']],
  ['Đặng Thị Lựu', ['dang', 'thi', 'luu']],
  ['ŁUKASZ WAŁĘSA', ['lukasz', 'walesa']],
  ['Søren Groẞ-Ægir', ['soren', 'gross', 'aegir']],
  ['—', []],
])('the words of %s', (name, words) => {
  expect(foldWords(name)).toEqual(words);
});
