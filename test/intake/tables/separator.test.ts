import { expect, test } from '@jest/globals';
import { recogniseSeparator } from '../../../intake/tables/separator.ts';

test.each([
  ['commas', 'a,b;c,d\n', ','],
  ['semicolons', 'a;b,c;d\n', ';'],
  ['tabs', 'a\tb,c\td\n', '\t'],
  ['a tie, which the rarer one wins', 'a,b\tc\n', '\t'],
  ['none', 'a\n', ','],
  ['semicolons below a title', 'Our list\r1;2;3\n', ';'],
  ['tabs below two titles and an empty line', 'Our list\n\nOf "May"\n1\t2\t3\n', '\t'],
  ['a semicolon only in a cell below its one column', 'a\n1;2\n', ','],
  ['semicolons only far below', `${'a\n'.repeat(11)}1;2;3\n`, ','],
  ['semicolons only below a header of commas', 'a,b\n1;2;3\n', ','],
  ['empty lines above it', '\n\r\na;b\n1,2,3\n', ';'],
  ['other separators in quotation marks', '"a,b,c";d\n', ';'],
  ['line breaks in quotation marks', '"a\nb";c;d,e\n', ';'],
  ['a first cell that is empty', ';b\n1,2,3\n', ';'],
])('a header with %s', (_, text, separator) => {
  expect(recogniseSeparator(text)).toBe(separator);
});
