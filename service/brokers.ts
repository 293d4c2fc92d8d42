/** Kafka's brokers, and how a client connects to them. Every client of Kafka is made from this one value. */
import { type Certificates, checkCertificates, rotatingContext } from './certificates.ts';
import { type Environment, parseAddress, readText, SettingError } from './environment.ts';
import { readSecret, type Secret } from './secret.ts';

const MAX_PORT = 65_535;

/** A client's login with a password. */
export interface PasswordLogin {
  mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  username: string;
  password: Secret;
}

/** A client's login with a token of an OAuth 2.0 server, by the grant "client credentials". */
export interface TokenLogin {
  mechanism: 'OAUTHBEARER';
  tokenUrl: string;
  clientId: string;
  clientSecret: Secret;
  scope: string | null;
}

export interface Tls extends Certificates {
  /** The required name in the brokers' certificates; null for the connection's host. */
  serverName: string | null;
}

export interface Brokers {
  /** Each broker's `host:port`. */
  addresses: string[];
  /** Null for connections without TLS. */
  tls: Tls | null;
  /** Null without a login, or with only a certificate. */
  login: PasswordLogin | TokenLogin | null;
  /** The rack of this process, as in `broker.rack`: it reads from replicas there. Null to read from leaders. */
  rack: string | null;
}

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
type Protocol = (typeof PROTOCOLS)[number];
const PASSWORD_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
const MECHANISMS = [...PASSWORD_MECHANISMS, 'OAUTHBEARER'] as const;

const TLS_SETTINGS = ['KAFKA_CA', 'KAFKA_CERT', 'KAFKA_KEY', 'KAFKA_KEY_PASSWORD', 'KAFKA_SERVER_NAME'];
const PASSWORD_SETTINGS = ['KAFKA_USERNAME', 'KAFKA_PASSWORD'];
const TOKEN_SETTINGS = [
  'KAFKA_OAUTH_TOKEN_URL',
  'KAFKA_OAUTH_CLIENT_ID',
  'KAFKA_OAUTH_CLIENT_SECRET',
  'KAFKA_OAUTH_SCOPE',
];
const LOGIN_SETTINGS = ['KAFKA_SASL_MECHANISM', ...PASSWORD_SETTINGS, ...TOKEN_SETTINGS];
const SECRETS = [
  'KAFKA_CA',
  'KAFKA_CERT',
  'KAFKA_KEY',
  'KAFKA_KEY_PASSWORD',
  'KAFKA_PASSWORD',
  'KAFKA_OAUTH_CLIENT_SECRET',
];

/** All settings of Kafka's clients except KAFKA_BROKERS. They describe one cluster and belong together. */
export const KAFKA_SECURITY_SETTINGS: readonly string[] = [
  'KAFKA_SECURITY_PROTOCOL',
  'KAFKA_RACK',
  ...[...TLS_SETTINGS, ...LOGIN_SETTINGS].flatMap(withFileForm),
];

function withFileForm(name: string): string[] {
  return SECRETS.includes(name) ? [name, `${name}_FILE`] : [name];
}

/**
 * The brokers of KAFKA_BROKERS and how to connect to them, or null if it is unset.
 *
 * @throws SettingError if a setting is invalid, missing, or without effect
 */
export function readBrokers(env: Environment): Brokers | null {
  const addresses = readAddresses(env);
  if (addresses === null) return null;
  const protocol = readProtocol(env);
  const hasTls = protocol === 'SSL' || protocol === 'SASL_SSL';
  const hasLogin = protocol === 'SASL_PLAINTEXT' || protocol === 'SASL_SSL';
  if (!hasTls) refuseUnused(env, TLS_SETTINGS, `KAFKA_SECURITY_PROTOCOL ${protocol} uses no TLS`);
  if (!hasLogin) refuseUnused(env, LOGIN_SETTINGS, `KAFKA_SECURITY_PROTOCOL ${protocol} uses no SASL`);
  return {
    addresses,
    tls: hasTls ? readTls(env) : null,
    login: hasLogin ? readLogin(env) : null,
    rack: readText(env, 'KAFKA_RACK'),
  };
}

function readAddresses(env: Environment): string[] | null {
  const text = readText(env, 'KAFKA_BROKERS');
  if (text === null) return null;
  const addresses = text.split(',').map((item) => item.trim());
  for (const address of addresses) {
    const port = /^(?:[^\s:[\]]+|\[[^\]]+\]):([0-9]{1,5})$/.exec(address)?.[1];
    if (port === undefined || Number(port) < 1 || Number(port) > MAX_PORT) {
      throw new SettingError(`KAFKA_BROKERS is "${text}"; it must be host:port, comma-separated.`);
    }
  }
  return addresses;
}

/** KAFKA_SECURITY_PROTOCOL; by default chosen from the other settings. */
function readProtocol(env: Environment): Protocol {
  const text = readText(env, 'KAFKA_SECURITY_PROTOCOL');
  if (text === null) {
    if (findSet(env, LOGIN_SETTINGS) !== null) return 'SASL_SSL';
    return findSet(env, TLS_SETTINGS) === null ? 'PLAINTEXT' : 'SSL';
  }
  const protocol = PROTOCOLS.find((known) => known === text.toUpperCase());
  if (protocol !== undefined) return protocol;
  throw new SettingError(`KAFKA_SECURITY_PROTOCOL is "${text}"; it must be one of ${PROTOCOLS.join(', ')}.`);
}

/** The first set one of these settings or of their `_FILE` forms. */
function findSet(env: Environment, names: string[]): string | null {
  return names.flatMap(withFileForm).find((name) => readText(env, name) !== null) ?? null;
}

/** Refuses settings without effect: either the setting or the missing protocol is a mistake. */
function refuseUnused(env: Environment, names: string[], reason: string): void {
  const name = findSet(env, names);
  if (name !== null) throw new SettingError(`${name} is set, but ${reason}; correct one of them.`);
}

function readTls(env: Environment): Tls {
  const certificates = checkCertificates({
    ca: readSecret(env, 'KAFKA_CA'),
    cert: readSecret(env, 'KAFKA_CERT'),
    key: readSecret(env, 'KAFKA_KEY'),
    keyPassword: readSecret(env, 'KAFKA_KEY_PASSWORD'),
  });
  const tls = { ...certificates, serverName: readText(env, 'KAFKA_SERVER_NAME') };
  rotatingContext(tls)();
  return tls;
}

function readLogin(env: Environment): PasswordLogin | TokenLogin {
  const text = readText(env, 'KAFKA_SASL_MECHANISM');
  const mechanism = MECHANISMS.find((known) => known === text?.toUpperCase());
  if (mechanism === undefined) {
    const found = text === null ? 'is not set' : `is "${text}"`;
    throw new SettingError(`KAFKA_SASL_MECHANISM ${found}; it must be one of ${MECHANISMS.join(', ')}.`);
  }
  const reason = `KAFKA_SASL_MECHANISM is ${mechanism}`;
  const need = <T>(name: string, value: T | null): T => {
    if (value === null) throw new SettingError(`${name} is not set, but ${reason}, which needs it.`);
    return value;
  };
  if (mechanism === 'OAUTHBEARER') {
    refuseUnused(env, PASSWORD_SETTINGS, reason);
    return {
      mechanism,
      tokenUrl: checkTokenUrl(need('KAFKA_OAUTH_TOKEN_URL', readText(env, 'KAFKA_OAUTH_TOKEN_URL'))),
      clientId: need('KAFKA_OAUTH_CLIENT_ID', readText(env, 'KAFKA_OAUTH_CLIENT_ID')),
      clientSecret: need('KAFKA_OAUTH_CLIENT_SECRET', readSecret(env, 'KAFKA_OAUTH_CLIENT_SECRET')),
      scope: readText(env, 'KAFKA_OAUTH_SCOPE'),
    };
  }
  refuseUnused(env, TOKEN_SETTINGS, reason);
  return {
    mechanism,
    username: need('KAFKA_USERNAME', readText(env, 'KAFKA_USERNAME')),
    password: need('KAFKA_PASSWORD', readSecret(env, 'KAFKA_PASSWORD')),
  };
}

/** @throws SettingError unless it is an address of HTTPS, or of this machine */
function checkTokenUrl(text: string): string {
  const url = parseAddress('KAFKA_OAUTH_TOKEN_URL', text);
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || isLocal) return text;
  throw new SettingError(
    `KAFKA_OAUTH_TOKEN_URL is "${text}"; it must be an address such as https://login.example.org/oauth/token.`,
  );
}

/** Brokers without TLS and login. @param addresses `host:port` of each */
export function plaintextBrokers(addresses: string[]): Brokers {
  return { addresses, tls: null, login: null, rack: null };
}

/** Kafka's name of the brokers' protocol. */
export function nameProtocol({ tls, login }: Brokers): Protocol {
  if (login) return tls ? 'SASL_SSL' : 'SASL_PLAINTEXT';
  return tls ? 'SSL' : 'PLAINTEXT';
}

/** The brokers' name in messages. */
export function nameBrokers({ addresses }: Brokers): string {
  return `Kafka at ${addresses.join(', ')}`;
}
