import { expect, test } from '@jest/globals';
import { maskEmailAddress, parseEmailAddress } from '../../schemas/email-address.ts';

test.each([
  ['ann@example.org', 'ann@example.org'],
  [' Ann.B+tag@Example.ORG\n', 'ann.b+tag@example.org'],
  ["o'neil_1@a-b.example", "o'neil_1@a-b.example"],
  ['ann@localhost', 'ann@localhost'],
])('%j is the address %s', (text, address) => expect(parseEmailAddress(text)).toBe(address));

test.each([
  '',
  'ann',
  'ann@',
  '@example.org',
  'ann@b@example.org',
  'ann@example.org,bob@example.org',
  'ann@example..org',
  'Ann <ann@example.org>',
  '"<script>"@example.org',
  'a b@example.org',
  'ann\u0000@example.org',
  '\u212Aate@example.org',
  'ann@ex\u0131mple.org',
  `${'a'.repeat(251)}@b.c`,
])('%j is not an address', (text) => expect(parseEmailAddress(text)).toBeNull());

test('a masked address shows its first letter and its domain', () => {
  expect(maskEmailAddress('ann@example.org')).toBe('a***@example.org');
  expect(maskEmailAddress('a@example.org')).toBe('a***@example.org');
});
