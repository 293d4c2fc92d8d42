import { expect, test } from '@jest/globals';
import { readName } from '../../../gateway/selection/record-name.ts';

const read = (text: string) => readName(text, { name: text }, 'invalid_subscription');

test.each(['2026 general', '🗳'.repeat(100)])('%s is a name', (name) => {
  expect(read(name)).toBe(name);
});

// In its one form, the last of them has twice as many characters.
test.each(['', '2026', '🗳'.repeat(101), '\u0958'.repeat(51)])('%j is refused', (name) => {
  expect(() => read(name)).toThrow(expect.objectContaining({ code: 'invalid_subscription' }));
});
