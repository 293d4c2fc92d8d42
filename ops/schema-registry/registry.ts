/** The settings of a schema registry: its address and its login. */
import { type Certificates, checkCertificates, rotatingContext } from '../../service/certificates.ts';
import { type Environment, readText, SettingError } from '../../service/environment.ts';
import { readSecret, type Secret } from '../../service/secret.ts';

/** The strategies for naming subjects, as in Confluent's serializers: TopicName and so on. */
const NAMINGS = ['topic', 'record', 'topic-record'] as const;
export type Naming = (typeof NAMINGS)[number];

export interface Registry {
  /** Without a trailing slash. It may have a path, such as `/apis/ccompat/v7`. */
  url: string;
  login: { username: string; password: Secret } | { token: Secret } | null;
  tls: Certificates;
  naming: Naming;
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Reads SCHEMA_REGISTRY_URL and the settings that belong to it.
 *
 * @returns null if it is not set
 * @throws SettingError if a setting is invalid, missing, or without effect
 */
export function readRegistry(env: Environment): Registry | null {
  const url = readUrl(env);
  if (url === null) return null;
  const tls = checkCertificates({
    ca: readSecret(env, 'SCHEMA_REGISTRY_CA'),
    cert: readSecret(env, 'SCHEMA_REGISTRY_CERT'),
    key: readSecret(env, 'SCHEMA_REGISTRY_KEY'),
    keyPassword: readSecret(env, 'SCHEMA_REGISTRY_KEY_PASSWORD'),
  });
  const login = readLogin(env);
  if (url.protocol === 'http:') {
    const unused = tls.ca ?? tls.client?.cert;
    if (unused) throw insecure(unused.setting, 'uses no TLS');
    const secret = login && ('token' in login ? login.token : login.password);
    if (secret && !LOCAL_HOSTS.includes(url.hostname)) throw insecure(secret.setting, 'would show it to all');
  } else {
    rotatingContext(tls)();
  }
  return { url: url.href.replace(/\/+$/, ''), login, tls, naming: readNaming(env) };
}

function insecure(setting: string, reason: string): SettingError {
  return new SettingError(
    `${setting} is set, but SCHEMA_REGISTRY_URL begins with http: and ${reason}: use https.`,
  );
}

function readUrl(env: Environment): URL | null {
  const text = readText(env, 'SCHEMA_REGISTRY_URL');
  if (text === null) return null;
  const url = URL.parse(text);
  if (url?.username || url?.password) {
    throw new SettingError(
      'SCHEMA_REGISTRY_URL holds a user: name it in SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD_FILE.',
    );
  }
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url;
  throw new SettingError(
    `SCHEMA_REGISTRY_URL is "${text}"; it must be an address such as https://registry.example.org:8081.`,
  );
}

function readNaming(env: Environment): Naming {
  const text = readText(env, 'SCHEMA_REGISTRY_NAMING') ?? 'topic';
  const naming = NAMINGS.find((known) => known === text);
  if (naming !== undefined) return naming;
  throw new SettingError(`SCHEMA_REGISTRY_NAMING is "${text}"; it must be one of ${NAMINGS.join(', ')}.`);
}

function readLogin(env: Environment): Registry['login'] {
  const username = readText(env, 'SCHEMA_REGISTRY_USERNAME');
  const password = readSecret(env, 'SCHEMA_REGISTRY_PASSWORD');
  const token = readSecret(env, 'SCHEMA_REGISTRY_TOKEN');
  if (token !== null) {
    const other = username === null ? password?.setting : 'SCHEMA_REGISTRY_USERNAME';
    if (other) throw new SettingError(`${token.setting} and ${other} are both set; unset one of them.`);
    return { token };
  }
  if (username !== null && password !== null) return { username, password };
  if (username === null && password === null) return null;
  const [set, unset] =
    username === null
      ? [password?.setting, 'SCHEMA_REGISTRY_USERNAME']
      : ['SCHEMA_REGISTRY_USERNAME', 'SCHEMA_REGISTRY_PASSWORD_FILE'];
  throw new SettingError(`${set} is set without ${unset}; set both or neither.`);
}
