import { expect, test } from '@jest/globals';
import { readIdentity } from '../../../gateway/console/session/identity.ts';

const CLAIMS = {
  iss: 'https://accounts.example.org',
  sub: 's1',
  email: 'Ann@Example.org',
  email_verified: true,
};
const problemOf = (claims: object, assumesVerified = false) =>
  readIdentity({ ...CLAIMS, ...claims }, assumesVerified);

test('a person is an issuer, a subject, an address in lower case and a name', () => {
  expect(readIdentity({ ...CLAIMS, name: ' Ann\u2028B\u0000 ' }, false)).toEqual({
    identity: { issuer: CLAIMS.iss, subject: 's1', email: 'ann@example.org', name: 'Ann B' },
  });
  expect(readIdentity({ ...CLAIMS, email_verified: 'true', name: 7 }, false)).toMatchObject({
    identity: { name: '' },
  });
  expect(readIdentity({ ...CLAIMS, name: `${'x'.repeat(199)}\u{1F600}` }, false)).toMatchObject({
    identity: { name: `${'x'.repeat(199)}\uFFFD` },
  });
});

test.each([undefined, false, 'false', 1, null])(
  'an address whose verification is %j does not count',
  (verified) => {
    expect(problemOf({ email_verified: verified })).toEqual({ problem: 'unverified_address' });
  },
);

test('a verification is assumed only if the claims do not say', () => {
  expect(problemOf({ email_verified: undefined }, true)).toHaveProperty('identity');
  for (const verified of [false, 'false', null]) {
    expect(problemOf({ email_verified: verified }, true)).toEqual({ problem: 'unverified_address' });
  }
});

test.each([undefined, '', 'ann', 7, ['ann@example.org']])('%j is not an address', (email) => {
  expect(problemOf({ email }, true)).toEqual({ problem: 'no_address' });
});

test.each(['', 'a\0b', 'x'.repeat(256)])('a subject that cannot be stored is refused', (sub) => {
  expect(problemOf({ sub })).toEqual({ problem: 'no_subject' });
});
