import { expect, test } from '@jest/globals';
import { recogniseSeparator } from '../../../intake/tables/separator.ts';

test.each([
  ['commas', 'a,b;c,d\n', ','],
  ['semicolons', 'a;b,c;d\n', ';'],
  ['tabs', 'a\tb,c\td\n', '\t'],
  ['a tie, which the rarer one wins', 'a,b\tc\n', '\t'],
  ['none', 'a\n', ','],
  ['commas only below a header of one column', 'a\r1;2;3\n', ','],
  ['semicolons only below a header of commas', 'a,b\n1;2;3\n', ','],
  ['empty lines above it', '\n\r\na;b\n1,2,3\n', ';'],
  ['other separators in quotation marks', '"a,b,c";d\n', ';'],
  ['line breaks in quotation marks', '"a\nb";c;d,e\n', ';'],
  ['a first cell that is empty', ';b\n1,2,3\n', ';'],
])('a header with %s', (_, text, separator) => {
  expect(recogniseSeparator(text)).toBe(separator);
});
