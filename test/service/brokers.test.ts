import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { readBrokers } from '../../service/brokers.ts';
import { readDatabaseUrl } from '../../service/database-address.ts';
import { createFolder } from '../helpers/folder.ts';
import { encryptKey, type IssuedCertificate, TestAuthority } from '../helpers/servers/certificates.ts';
import { securedTest as test } from '../helpers/servers/secured-test.ts';

let folder: Awaited<ReturnType<typeof createFolder>>;
let authority: TestAuthority;
let issued: IssuedCertificate;
let other: IssuedCertificate;
/** The key of `issued`, encrypted. */
let encrypted = '';

beforeAll(async () => {
  folder = await createFolder({ password: ' secret \n', 'key-password': 'a password\n', empty: '\n' });
  authority = await TestAuthority.create(folder.dir, 'authority');
  issued = await authority.issue({ name: 'client' });
  other = await authority.issue({ name: 'other' });
  encrypted = await encryptKey(issued.key, 'a password');
});
afterAll(() => folder.remove());

const read = (settings: Record<string, string>) => readBrokers({ KAFKA_BROKERS: 'a:1', ...settings });
const LOGIN = { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_USERNAME: 'ann', KAFKA_PASSWORD: 'secret' };
const OAUTH = {
  KAFKA_SASL_MECHANISM: 'oauthbearer',
  KAFKA_OAUTH_TOKEN_URL: 'https://login.example/token',
  KAFKA_OAUTH_CLIENT_ID: 'bot',
  KAFKA_OAUTH_CLIENT_SECRET: 'secret',
};

describe('the settings decide the security of connections', () => {
  test('with a login, they have TLS too', () => {
    expect(read(LOGIN)).toMatchObject({ tls: { ca: null, client: null }, login: { username: 'ann' } });
    expect(read(OAUTH)).toMatchObject({ tls: {}, login: { mechanism: 'OAUTHBEARER', scope: null } });
    expect(read({ ...LOGIN, KAFKA_SECURITY_PROTOCOL: 'sasl_plaintext' })).toMatchObject({ tls: null });
  });

  test('with certificates, they have TLS', () => {
    const settings = { KAFKA_CERT_FILE: issued.cert, KAFKA_KEY_FILE: issued.key, KAFKA_RACK: 'a' };
    expect(read(settings)).toMatchObject({ login: null, rack: 'a', tls: { serverName: null } });
    expect(read({ KAFKA_SECURITY_PROTOCOL: 'SSL' })).toMatchObject({ tls: { ca: null }, login: null });
  });

  test('a file replaces a text, without its white space at the ends', async () => {
    const tls = read({ KAFKA_CA: await readFile(authority.ca, 'utf8') })?.tls;
    expect(tls?.ca?.read()).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const { KAFKA_PASSWORD: _, ...rest } = LOGIN;
    const login = read({ ...rest, KAFKA_PASSWORD_FILE: folder.file('password') })?.login;
    expect(login && 'password' in login && login.password.read()).toBe('secret');
  });
});

describe('conflicting settings are refused in one sentence, without a secret', () => {
  test.each<[string, () => Record<string, string>, string]>([
    [
      'an unknown protocol',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'TLS' }),
      'KAFKA_SECURITY_PROTOCOL is "TLS"; it must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL.',
    ],
    [
      'a password without SASL',
      () => ({ ...LOGIN, KAFKA_SECURITY_PROTOCOL: 'SSL' }),
      'KAFKA_SASL_MECHANISM is set, but KAFKA_SECURITY_PROTOCOL SSL uses no SASL; correct one of them.',
    ],
    [
      'an authority without TLS',
      () => ({ KAFKA_CA_FILE: authority.ca, KAFKA_SECURITY_PROTOCOL: 'PLAINTEXT' }),
      'KAFKA_CA_FILE is set, but KAFKA_SECURITY_PROTOCOL PLAINTEXT uses no TLS; correct one of them.',
    ],
    [
      'no mechanism',
      () => ({ KAFKA_USERNAME: 'ann' }),
      'KAFKA_SASL_MECHANISM is not set; it must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER.',
    ],
    [
      'no password',
      () => ({ ...LOGIN, KAFKA_PASSWORD: '' }),
      'KAFKA_PASSWORD is not set, but KAFKA_SASL_MECHANISM is PLAIN, which needs it.',
    ],
    [
      'a password and its file',
      () => ({ ...LOGIN, KAFKA_PASSWORD_FILE: folder.file('password') }),
      'KAFKA_PASSWORD and KAFKA_PASSWORD_FILE are both set; unset one of them.',
    ],
    [
      'a password for OAUTHBEARER',
      () => ({ ...OAUTH, KAFKA_PASSWORD: 'secret' }),
      'KAFKA_PASSWORD is set, but KAFKA_SASL_MECHANISM is OAUTHBEARER; correct one of them.',
    ],
    [
      'a token server without TLS',
      () => ({ ...OAUTH, KAFKA_OAUTH_TOKEN_URL: 'http://login.example/token' }),
      'KAFKA_OAUTH_TOKEN_URL is "http://login.example/token"; it must be an address such as https://login.example.org/oauth/token.',
    ],
    [
      'a token server with a login',
      () => ({ ...OAUTH, KAFKA_OAUTH_TOKEN_URL: 'https://ops:s3cret@login.example/token' }),
      'KAFKA_OAUTH_TOKEN_URL holds a user or a password, which cannot be sent: leave them out.',
    ],
    [
      'a certificate without its key',
      () => ({ KAFKA_CERT_FILE: issued.cert }),
      'KAFKA_CERT_FILE is set without the key that belongs to it; set both or neither.',
    ],
    [
      'the key of another certificate',
      () => ({ KAFKA_CERT_FILE: issued.cert, KAFKA_KEY_FILE: other.key }),
      'KAFKA_CERT_FILE and KAFKA_KEY_FILE do not belong together.',
    ],
    [
      'no certificate',
      () => ({ KAFKA_CA_FILE: issued.key }),
      'KAFKA_CA_FILE holds no certificate in PEM form.',
    ],
    [
      'no key',
      () => ({ KAFKA_CERT_FILE: issued.cert, KAFKA_KEY: 'secret' }),
      'KAFKA_KEY holds no private key in PEM form.',
    ],
    [
      'an encrypted key without a password',
      () => ({ KAFKA_CERT_FILE: issued.cert, KAFKA_KEY_FILE: encrypted }),
      'KAFKA_KEY_FILE holds an encrypted private key: name the file of its password in KAFKA_KEY_PASSWORD_FILE.',
    ],
    [
      'another password of an encrypted key',
      () => ({ KAFKA_CERT_FILE: issued.cert, KAFKA_KEY_FILE: encrypted, KAFKA_KEY_PASSWORD: 'secret' }),
      'KAFKA_KEY_FILE holds a private key that KAFKA_KEY_PASSWORD does not decrypt; correct one of them.',
    ],
    [
      'the password of a key alone',
      () => ({ KAFKA_CA_FILE: authority.ca, KAFKA_KEY_PASSWORD: 'secret' }),
      'KAFKA_KEY_PASSWORD is set without the key that belongs to it; set both or neither.',
    ],
  ])('%s', (_, settings, sentence) => {
    expect(() => read(settings())).toThrow(sentence);
    expect(sentence).not.toContain('secret ');
  });

  test('a file that is missing or empty', () => {
    const file = folder.file('empty');
    expect(() => read({ KAFKA_CA_FILE: file })).toThrow(`KAFKA_CA_FILE is "${file}", which is empty.`);
    expect(() => read({ KAFKA_CA_FILE: '/nowhere' })).toThrow(
      'KAFKA_CA_FILE is "/nowhere", which cannot be read (ENOENT).',
    );
  });
});

describe('the address of the database', () => {
  const address = (settings: Record<string, string>, url = 'postgres://u:p@h:1/d') =>
    readDatabaseUrl({ DATABASE_URL: url, ...settings });

  test('gets the certificates and the password of other settings', () => {
    expect(address({})).toBe('postgres://u:p@h:1/d');
    expect(address({ DATABASE_CA_FILE: authority.ca })).toBe(
      `postgres://u:p@h:1/d?sslrootcert=${encodeURIComponent(authority.ca)}&sslmode=verify-full`,
    );
    expect(address({ DATABASE_PASSWORD: "a:/?'b" })).toBe(`postgres://u:a%3A%2F%3F'b@h:1/d`);
    expect(address({ DATABASE_PASSWORD: 'x' }, 'postgres://h/d')).toBe('postgres://:x@h/d');
    expect(address({ DATABASE_PASSWORD: 'x' }, 'postgres://u@/d?host=/run')).toBe(
      'postgres://u:x@/d?host=/run',
    );
    const file = folder.file('password');
    expect(address({ DATABASE_PASSWORD_FILE: file })).toBe(
      `postgres://u:p@h:1/d?passwordfile=${encodeURIComponent(file)}`,
    );
  });

  test('gets an encrypted key and its password, as libpq names them or in a file', () => {
    const settings = { DATABASE_CERT_FILE: issued.cert, DATABASE_KEY_FILE: encrypted };
    const passwordOf = (more: Record<string, string>) =>
      new URLSearchParams(address({ ...settings, ...more })?.split('?')[1]).get('sslpassword');
    expect(passwordOf({ DATABASE_KEY_PASSWORD: 'a password' })).toBe('a password');
    expect(passwordOf({ DATABASE_KEY_PASSWORD_FILE: folder.file('key-password') })).toBeNull();
    expect(() => address(settings)).toThrow(
      'DATABASE_KEY (sslkey of DATABASE_URL) holds an encrypted private key: name the file of its password in ' +
        'DATABASE_KEY_PASSWORD_FILE.',
    );
  });

  test('is refused with an unknown sslmode', () => {
    expect(() => address({}, 'postgres://h/d?sslmode=prefer')).toThrow(
      'DATABASE_URL has sslmode=prefer; it must be one of disable, no-verify, verify-ca, require, verify-full.',
    );
  });
});
