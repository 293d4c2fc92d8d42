/** The sentences for a schema registry that does not answer, or refuses. */
import { describeClientCertificate } from '../../service/certificates.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { explainTlsCode } from '../../service/tls-codes.ts';
import type { Registry } from './registry.ts';

/** Confluent's codes for a read-only subject or registry. */
const READ_ONLY = 42205;
/** The shown part of a registry's message; some list every field. */
const MAX_MESSAGE = 200;

const TLS_SETTINGS = {
  ca: 'SCHEMA_REGISTRY_CA_FILE',
  cert: 'SCHEMA_REGISTRY_CERT_FILE',
  name: null,
  mode: 'SCHEMA_REGISTRY_URL',
};

/** The registry finds a schema incompatible with its subject's versions. */
export class IncompatibleError extends OperatorError {
  override name = 'IncompatibleError';
}

/** The address answers, but not as a schema registry. */
export function strangeAnswer({ url }: Registry, status: number): OperatorError {
  return new OperatorError(
    `${url} answers (HTTP ${status}), but not as a schema registry: correct SCHEMA_REGISTRY_URL. Some registries need a ` +
      'path, such as /apis/ccompat/v7 of Apicurio.',
  );
}

/** The registry could not be reached. @param error an error of the connection */
export function explainSilence({ url, tls }: Registry, error: Error): OperatorError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const sentence = explainTlsCode(code, {
    server: url,
    settings: TLS_SETTINGS,
    client: describeClientCertificate(tls),
    message,
  });
  return new OperatorError(
    sentence ??
      `The schema registry ${url} does not answer (${code || message}): start it, or correct SCHEMA_REGISTRY_URL.`,
    { cause: error },
  );
}

/**
 * The registry refuses.
 *
 * @param answer the `code` and `message` of its body; NaN and empty without one
 * @returns an IncompatibleError if that is the reason
 */
export function explainRefusal(
  registry: Registry,
  {
    status,
    isForbidden,
    code,
    message,
  }: { status: number; isForbidden: boolean; code: number; message: string },
): OperatorError {
  const { url, login } = registry;
  const server = `The schema registry ${url}`;
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  const reason = shown === '' ? `HTTP ${status}` : `HTTP ${status}, ${shown}`;
  if (status === 401 && login === null) {
    const settings =
      'SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD_FILE, or SCHEMA_REGISTRY_TOKEN_FILE';
    return new OperatorError(`${server} asks for a login: set ${settings}.`);
  }
  const client = login && ('token' in login ? 'the token' : `the user "${login.username}"`);
  if (status === 401) {
    const [what, settings] =
      login && 'password' in login
        ? [`${client} or the password`, `SCHEMA_REGISTRY_USERNAME or ${login.password.setting}`]
        : [client, login?.token.setting];
    return new OperatorError(`${server} refuses ${what} (${reason}): correct ${settings}.`);
  }
  if (isForbidden) {
    return new OperatorError(
      `${server} does not let ${client ?? 'this client'} do that (${reason}): grant it reading and writing of the subjects.`,
    );
  }
  if (code === READ_ONLY) {
    return new OperatorError(
      `${server} is read-only (${reason}): set the mode of the registry and of its subjects to READWRITE.`,
    );
  }
  if (status === 409) return new IncompatibleError(reason);
  if (status < 400 || status === 404 || status === 405) return strangeAnswer(registry, status);
  return new OperatorError(`${server} fails (${reason}): see its log.`);
}
