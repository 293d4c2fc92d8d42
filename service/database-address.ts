/*
 * The address of the database: DATABASE_URL and the settings that add to it. It stays one connection string
 * with libpq's TLS parameters, so that it can be passed on as a whole.
 * `store/connection/connection-config.ts` interprets it.
 */
import path from 'node:path';
import { checkCertificates } from './certificates.ts';
import { type Environment, readText, SettingError } from './environment.ts';
import { openSecretFile, readSecret, type Secret } from './secret.ts';

const EXAMPLE = 'postgres://user:password@host:5432/database';

/** The values of `sslmode`, and whether the server's certificate and its name are checked. */
const SSL_MODES = ['disable', 'no-verify', 'verify-ca', 'require', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** The parameters for certificates: the path of a PEM file, or the PEM text itself. */
const CERTIFICATES = {
  sslrootcert: 'DATABASE_CA',
  sslcert: 'DATABASE_CERT',
  sslkey: 'DATABASE_KEY',
} as const;
/** The parameter that names a file with the password. */
export const PASSWORD_FILE = 'passwordfile';
/** The parameters for an encrypted key's password: libpq's with the text, and one that names a file. */
const KEY_PASSWORD = 'sslpassword';
const KEY_PASSWORD_FILE = 'sslpasswordfile';
/** The parameters that the service interprets itself, and withholds from the drivers. */
export const OWN_PARAMETERS: readonly string[] = [
  'sslmode',
  ...Object.keys(CERTIFICATES),
  KEY_PASSWORD,
  KEY_PASSWORD_FILE,
  PASSWORD_FILE,
];

/**
 * DATABASE_URL with the certificates and the password of other settings; null if it is unset.
 *
 * @throws SettingError if its form is wrong, or another setting is invalid
 */
export function readDatabaseUrl(env: Environment): string | null {
  const url = readText(env, 'DATABASE_URL');
  if (url === null) return null;
  checkDatabaseUrl(url);
  return complete(url, env);
}

const REPLICAS = 'READ_DATABASE_URLS';

/**
 * The addresses of the replicas that gateways may read from, with DATABASE_URL's certificates and password.
 *
 * @throws SettingError if the form of one is wrong, or two name the same server
 */
export function readReplicaUrls(env: Environment): string[] {
  const text = readSecret(env, REPLICAS)?.read() ?? '';
  const urls = text.split(/[\s,]+/).filter((url) => url !== '');
  const names = new Set<string>();
  for (const url of urls) {
    checkDatabaseUrl(url, REPLICAS);
    const name = nameServer(url);
    if (names.has(name)) throw new SettingError(`${REPLICAS} names ${name} twice.`);
    names.add(name);
  }
  return urls.map((url) => complete(url, env));
}

/** The host and port of an address, for people. */
export function nameServer(databaseUrl: string): string {
  const { host, port } = new URL(databaseUrl.replace('@/', '@file/'));
  return port === '' ? `${host}:5432` : host;
}

/**
 * Adds the certificates and the password of other settings to an address. Paths become absolute, because commands that
 * find a running service's address may run in another folder.
 */
function complete(url: string, env: Environment): string {
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const given = parameters.toString();
  for (const [parameter, name] of Object.entries(CERTIFICATES)) {
    const secret = readSecret(env, name);
    if (secret !== null) parameters.set(parameter, secret.file ? path.resolve(secret.file) : secret.read());
  }
  const keyPassword = readSecret(env, 'DATABASE_KEY_PASSWORD');
  if (keyPassword?.file) parameters.set(KEY_PASSWORD_FILE, path.resolve(keyPassword.file));
  else if (keyPassword) parameters.set(KEY_PASSWORD, keyPassword.read());
  const password = readSecret(env, 'DATABASE_PASSWORD');
  if (password?.file) parameters.set(PASSWORD_FILE, path.resolve(password.file));
  const isSecured = ['sslrootcert', 'sslcert'].some((name) => parameters.has(name));
  if (isSecured && !parameters.has('sslmode')) parameters.set('sslmode', 'verify-full');
  checkDatabaseCertificates(parameters);
  const whole = password && !password.file ? withPassword(address, password.read()) : address;
  // An unchanged address stays as it was written.
  if (parameters.toString() === given) return query === '' ? whole : `${whole}?${query}`;
  return `${whole}?${parameters}`;
}

/**
 * Checks that an address has the form of a connection string. The error shows an invalid address only up to a
 * possible password.
 *
 * @throws SettingError if its form is wrong
 */
export function checkDatabaseUrl(text: string, name = 'DATABASE_URL'): void {
  // A connection through a Unix socket has no host between the @ and the path.
  if (!/^postgres(ql)?:\/\//i.test(text) || !URL.canParse(text.replace('@/', '@file/'))) {
    const shown = /^[^:=@]*[:=@]?/.exec(text)?.[0] ?? '';
    const rest = shown === text ? '' : '…';
    throw new SettingError(
      `${name} is "${shown}${rest}"; it must be like ${EXAMPLE}, with special characters of the ` +
        'password percent-encoded.',
    );
  }
  parseSslMode(new URLSearchParams(text.split('?', 2)[1]));
}

/** The mode of an address's parameters; null if it is unset. @throws SettingError if it is unknown */
export function parseSslMode(parameters: URLSearchParams): SslMode | null {
  const text = parameters.get('sslmode');
  if (text === null) return null;
  const mode = SSL_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new SettingError(`DATABASE_URL has sslmode=${text}; it must be one of ${SSL_MODES.join(', ')}.`);
}

/**
 * The certificates that an address names.
 *
 * @throws SettingError if a file cannot be read or holds no certificate or key
 */
export function checkDatabaseCertificates(parameters: URLSearchParams): ReturnType<typeof checkCertificates> {
  return checkCertificates({
    ca: readParameter(parameters, 'sslrootcert'),
    cert: readParameter(parameters, 'sslcert'),
    key: readParameter(parameters, 'sslkey'),
    keyPassword: readKeyPassword(parameters),
  });
}

function readKeyPassword(parameters: URLSearchParams): Secret | null {
  const file = parameters.get(KEY_PASSWORD_FILE);
  if (file) return openSecretFile('DATABASE_KEY_PASSWORD_FILE', file);
  const text = parameters.get(KEY_PASSWORD);
  return text ? { setting: 'DATABASE_KEY_PASSWORD', file: null, read: () => text } : null;
}

function readParameter(parameters: URLSearchParams, name: keyof typeof CERTIFICATES): Secret | null {
  const value = parameters.get(name);
  if (!value) return null;
  const setting = `${CERTIFICATES[name]} (${name} of DATABASE_URL)`;
  if (value.startsWith('-----BEGIN')) return { setting, file: null, read: () => value };
  return openSecretFile(setting, value);
}

/** Sets or replaces the password in an address. */
export function withPassword(address: string, password: string): string {
  return address.replace(
    /^([a-z]+:\/\/)(?:([^:@/]*)(?::[^@/]*)?@)?/i,
    (_, scheme: string, user = '') => `${scheme}${user}:${encodeURIComponent(password)}@`,
  );
}

/** @throws SettingError if DATABASE_URL is unset or invalid */
export function requireDatabaseUrl(env: Environment): string {
  const url = readDatabaseUrl(env);
  if (url !== null) return url;
  throw new SettingError(
    `DATABASE_URL is not set; it must be like ${EXAMPLE}. Without it, DATA_DIR must be that of a running "npm start".`,
  );
}

/** The settings that belong to DATABASE_URL. */
export const DATABASE_SETTINGS: readonly string[] = [
  'DATABASE_PASSWORD',
  'DATABASE_KEY_PASSWORD',
  ...Object.values(CERTIFICATES),
  REPLICAS,
].flatMap((name) => [name, `${name}_FILE`]);
