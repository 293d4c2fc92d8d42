/*
 * Turns Kafka's refusals of this process into a sentence with the cause: a wrong password, a certificate, a
 * missing right. Callers try again, which helps once an operator has corrected it.
 */
import { type Brokers, nameBrokers } from '../../service/brokers.ts';
import { describeClientCertificate } from '../../service/certificates.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { explainTlsCode } from '../../service/tls-codes.ts';
import type { Base } from '../library.ts';
import { type FindConnectionError, keepConnectionErrors } from './connections.ts';
import { correctRequests } from './corrected-requests.ts';
import {
  type ClientError,
  errorsWithin,
  formatRight,
  isAuthorizationError,
  MissingRightError,
  type Right,
  withRight,
} from './rights.ts';

/** Kafka answers, but refuses this process. The message is a sentence for the operator. */
class KafkaRefusal extends OperatorError {
  override name = 'KafkaRefusal';
}

/**
 * Runs an action with a client of Kafka.
 *
 * @param findHidden finds a connection error that the client does not report
 * @throws KafkaRefusal if Kafka refuses this process, and the error of `action` otherwise
 */
export async function explainingRefusals<T>(
  brokers: Brokers,
  action: () => Promise<T>,
  findHidden: FindConnectionError = () => undefined,
): Promise<T> {
  const begunAt = performance.now();
  try {
    return await action();
  } catch (error) {
    const sentence = explainRefusal(error, brokers) ?? explainRefusal(findHidden(begunAt), brokers);
    throw sentence === null ? error : new KafkaRefusal(sentence, { cause: error });
  }
}

/** Runs an action with a client. @throws as `explainingRefusals` does */
export type Ask = <T>(action: () => Promise<T>) => Promise<T>;

/** Corrects the requests of a client. @returns a function that runs actions for which the client needs this right */
export function prepareClient(client: Base, brokers: Brokers, right: Right): Ask {
  correctRequests(client);
  const findHidden = keepConnectionErrors(client);
  return (action) => explainingRefusals(brokers, () => withRight(right, action), findHidden);
}

/** The sentence for Kafka's refusal of this process; null for other errors. */
function explainRefusal(error: unknown, brokers: Brokers): string | null {
  const errors = [...errorsWithin(error)];
  if (errors.some((each) => each.error instanceof KafkaRefusal)) return null;
  return (
    errors.find(({ name }) => name === 'TokenError')?.message ??
    explainMissingRight(errors, brokers) ??
    explainLogin(errors, brokers) ??
    explainTls(errors, brokers)
  );
}

function explainMissingRight(errors: ClientError[], brokers: Brokers): string | null {
  const missing = errors.find(({ error }) => error instanceof MissingRightError)?.error;
  if (missing instanceof MissingRightError) {
    return (
      `${nameBrokers(brokers)} does not give ${nameUser(brokers)} the right ${formatRight(missing.right)}: grant it, as ` +
      '"npm run ops -- topics acls" shows.'
    );
  }
  const type = errors.find((each) => isAuthorizationError(each.type))?.type;
  if (type === undefined) return null;
  return (
    `${nameBrokers(brokers)} does not give ${nameUser(brokers)} a required right (${type}): grant it, as ` +
    '"npm run ops -- topics acls" shows.'
  );
}

/** This process's identity towards Kafka. */
function nameUser({ login, tls }: Brokers): string {
  if (login?.mechanism === 'OAUTHBEARER') return `the client "${login.clientId}"`;
  if (login) return `the user "${login.username}"`;
  const certificate = tls && describeClientCertificate(tls);
  return certificate ? `the certificate "${certificate.subject}"` : 'a client without a login';
}

/** Messages of kafkajs for a login that a lost connection interrupted. */
const INTERRUPTED = /closed connection|connection (closed|error|timeout)|not connected|timed out/i;

function explainLogin(errors: ClientError[], brokers: Brokers): string | null {
  const { login } = brokers;
  const failure = errors.find(
    (error) =>
      isLoginAnswer(error) ||
      error.name === 'KafkaJSSASLAuthenticationError' ||
      error.type === 'ILLEGAL_SASL_STATE',
  );
  if (!failure || !login) return null;
  if (errors.some(({ code }) => code === 'PLT_KFK_NETWORK') && !errors.some(isLoginAnswer)) return null;
  if (INTERRUPTED.test(failure.message)) return null;
  const server = nameBrokers(brokers);
  if (
    errors.some(({ type, message }) => type === 'UNSUPPORTED_SASL_MECHANISM' || NO_MECHANISM.test(message))
  ) {
    return `${server} does not offer ${login.mechanism}: name a mechanism in KAFKA_SASL_MECHANISM that it offers.`;
  }
  if (login.mechanism === 'OAUTHBEARER') {
    return (
      `${server} refuses the token of the client "${login.clientId}": correct KAFKA_OAUTH_SCOPE, or the issuer and ` +
      'audience that the brokers expect.'
    );
  }
  return (
    `${server} refuses the user "${login.username}" or the password (${login.mechanism}): correct KAFKA_USERNAME or ` +
    `${login.password.setting}.`
  );
}

const NO_MECHANISM = /mechanism is not supported|Cannot find a suitable SASL mechanism/;

/** Whether the broker itself refused the login. */
function isLoginAnswer({ name, code, type }: ClientError): boolean {
  return (
    name === 'RefusedTokenError' ||
    code === 'PLT_KFK_AUTHENTICATION' ||
    type === 'SASL_AUTHENTICATION_FAILED' ||
    type === 'UNSUPPORTED_SASL_MECHANISM'
  );
}

/** Node's message if a server hangs up during the TLS handshake. */
const NO_HANDSHAKE = /disconnected before secure TLS connection was established/;

function explainTls(errors: ClientError[], brokers: Brokers): string | null {
  const server = nameBrokers(brokers);
  const { tls } = brokers;
  if (tls === null) {
    const isAskedForTls = errors.some(({ message }) => message === 'Broker requires TLS.');
    return isAskedForTls ? `${server} speaks TLS: set KAFKA_SECURITY_PROTOCOL to SSL or SASL_SSL.` : null;
  }
  if (errors.some(({ message }) => NO_HANDSHAKE.test(message))) {
    return `${server} ends the connection before TLS begins: correct the port or KAFKA_SECURITY_PROTOCOL.`;
  }
  for (const { code, message } of errors) {
    const sentence = explainTlsCode(code, {
      server,
      settings: {
        ca: tls.ca?.setting ?? 'KAFKA_CA_FILE',
        cert: 'KAFKA_CERT_FILE',
        name: 'KAFKA_SERVER_NAME',
        mode: 'KAFKA_SECURITY_PROTOCOL',
      },
      client: describeClientCertificate(tls),
      message,
    });
    if (sentence !== null) return sentence;
  }
  return null;
}
