import { expect, test } from '@jest/globals';
import { showControls } from '../../schemas/show-controls.ts';
import { describeFailure, OperatorError } from '../../service/operator-error.ts';

test.each([
  ['a line break, a tab and a return', 'a\nb\tc\rd', 'a\\nb\\tc\\rd'],
  ['an escape sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['a control sequence of one character (C1)', 'a\u009b2Jb\u0080', 'a\\u009b2Jb\\u0080'],
  ['a deletion', 'a\u007fb', 'a\\u007fb'],
  ['an override of the direction', 'a\u202eb\u2066c\u200fd', 'a\\u202eb\\u2066c\\u200fd'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ['half of a character', 'a\ud83db', 'a\\ud83db'],
  ['letters of any script', 'Ñandú 候選人 😀 עברית', 'Ñandú 候選人 😀 עברית'],
])('%s', (_, text, shown) => {
  expect(showControls(text)).toBe(shown);
});

test("an operator's error keeps its lines, and shows the controls within them", () => {
  expect(describeFailure(new OperatorError('No "a\u001b[2J".\nUse "b".'))).toBe(
    'No "a\\u001b[2J".\nUse "b".',
  );
});
