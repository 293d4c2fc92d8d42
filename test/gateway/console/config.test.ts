import { expect, test } from '@jest/globals';
import { createConfig } from '../../../gateway/config.ts';
import { createFolder } from '../../helpers/folder.ts';

const SERVERS = { DATABASE_URL: 'postgres://u@h/d', KAFKA_BROKERS: 'h:9092' };
const PROVIDER = {
  OIDC_ISSUER: 'https://accounts.example.org/realms/one',
  OIDC_CLIENT_ID: 'ballots',
  OIDC_CLIENT_SECRET: 's3cret',
  PUBLIC_URL: 'https://ballots.example.org',
};
const read = (env: Record<string, string>) => createConfig({ ...SERVERS, ...env }).provider;

test('a provider is read from the settings; without settings the result is null', async () => {
  expect(read({})).toBeNull();
  const settings = {
    issuer: new URL(PROVIDER.OIDC_ISSUER),
    clientId: 'ballots',
    clientSecret: 's3cret',
    callbackUrl: 'https://ballots.example.org/console/sign-in/callback',
    assumesVerified: false,
  };
  expect(read(PROVIDER)).toEqual(settings);
  expect(read({ ...PROVIDER, OIDC_ASSUME_EMAIL_VERIFIED: '1' })).toMatchObject({ assumesVerified: true });
  const folder = await createFolder({ secret: 'from-a-file\n', empty: '\n' });
  const { OIDC_CLIENT_SECRET: _, ...rest } = PROVIDER;
  const fromFile = (name: string) => read({ ...rest, OIDC_CLIENT_SECRET_FILE: folder.file(name) });
  expect(fromFile('secret')).toMatchObject({ clientSecret: 'from-a-file' });
  expect(() => fromFile('empty')).toThrow(/which is empty\.$/);
  expect(() => fromFile('absent')).toThrow(
    /^OIDC_CLIENT_SECRET_FILE is ".*absent", which cannot be read \(ENOENT\)/,
  );
  await folder.remove();
});

test.each(Object.keys(PROVIDER))('%s is required', (name) => {
  expect(() => read({ ...PROVIDER, [name]: '' })).toThrow(new RegExp(`^${name} is not set`));
});

test.each(['http://localhost:9000', 'http://127.0.0.1:9000/realms/one', 'http://[::1]:9000'])(
  'the issuer may be %s',
  (issuer) => expect(read({ ...PROVIDER, OIDC_ISSUER: issuer })?.issuer).toEqual(new URL(issuer)),
);

test.each([
  ['OIDC_ISSUER', 'accounts.example.org', 'it must be an address such as'],
  ['OIDC_ISSUER', 'http://accounts.example.org', 'begin with https://'],
  ['OIDC_ISSUER', 'http://localhost.example.org', 'begin with https://'],
  ['OIDC_ISSUER', 'https://user:pw@accounts.example.org', 'it must be an address such as'],
  ['OIDC_ISSUER', 'https://accounts.example.org/?a=b', 'it must be an address such as'],
  ['OIDC_CLIENT_SECRET_FILE', '/a/file', 'are both set'],
  ['OIDC_ASSUME_EMAIL_VERIFIED', 'yes', 'must be a whole number from 0 to 1'],
])('%s=%s is refused with a sentence', (name, value, sentence) => {
  expect(() => read({ ...PROVIDER, [name]: value })).toThrow(sentence);
});
