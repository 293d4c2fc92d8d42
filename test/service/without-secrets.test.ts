import { expect, test } from '@jest/globals';
import { generateApiKey } from '../../schemas/api-key.ts';
import { generateToken } from '../../schemas/console-token.ts';
import { withoutSecrets } from '../../service/without-secrets.ts';

const token = `${'aB3_-'.repeat(8)}xyz`;

test.each([
  ['of a link', `/console/links/${token}`, '/console/links/...'],
  ['of a link with more after it', `/console/links/${token}%/x`, '/console/links/...'],
  ['of a link in capitals', `/CONSOLE/links/${token}`, '/CONSOLE/links/...'],
  ['of a link with a letter missing', `/console/link/${token}`, '/console/link/...'],
  ['of an invitation that is cut off', '/console/invitations/abc', '/console/invitations/...'],
  ['in the middle of a path', `/x/${token}/y`, '/x/.../y'],
])('a path is logged without the token %s', (_, path, logged) => {
  expect(withoutSecrets(path)).toBe(logged);
});

test('no token and no key is logged', () => {
  for (let times = 0; times < 1000; times += 1) {
    expect(withoutSecrets(`/v1/${generateApiKey()}`)).toBe('/v1/...');
    expect(withoutSecrets(`/v1/${generateToken()}`)).toBe('/v1/...');
  }
});

test('INV-15: a long path takes no longer for its letters', () => {
  const timeOf = (letter: string) => {
    const path = `/${letter.repeat(64 * 1024)}`;
    withoutSecrets(path);
    const begun = performance.now();
    withoutSecrets(path);
    return performance.now() - begun;
  };
  // If each letter cost a look at all that follow, this would take ten thousand times as long.
  expect(timeOf('a')).toBeLessThan(1000 * timeOf('A'));
});

test('the longest slugs are logged', () => {
  const path = `/v1/endorsers/${'the-oregon-league-of-conservation-voters-'.repeat(4)}2026`;
  expect(withoutSecrets(path)).toBe(path);
});
