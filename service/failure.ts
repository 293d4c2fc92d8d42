/*
 * The meaning of a caught error: the database or Kafka is away or refuses this process, another process has
 * taken over, or the service has a defect. Errors are recognized by name and code instead of class, because
 * drivers wrap each other's errors and classes can be loaded twice. Unknown errors are defects, so that no
 * defect counts as an outage.
 */

import { isTlsCode } from './tls-codes.ts';
import { walkErrors } from './walk-errors.ts';

export type Failure = 'database_away' | 'kafka_away' | 'superseded' | 'defect';

/** Kafka cannot serve a request now, for instance because a partition's leader moves. */
export class KafkaUnavailableError extends Error {
  override name = 'KafkaUnavailableError';
}

/** Another process or another history has replaced this work, which begins anew. Not a fault. */
export class SupersededError extends Error {
  override name = 'SupersededError';
}

/** The names of JavaScript's own errors. */
const BUILT_IN = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'URIError']);

/** The beginning of @platformatic/kafka's codes. */
const KAFKA_CODE = /^PLT_KFK_/;
/** The codes of wrong calls. For an error that holds several, its inner errors decide. */
const KAFKA_DEFECT_CODES = new Set([
  'PLT_KFK_MULTIPLE',
  'PLT_KFK_OUT_OF_BOUNDS',
  'PLT_KFK_UNFINISHED_WRITE_BUFFER',
  'PLT_KFK_UNSUPPORTED_FORMAT',
]);
/** The message of kafkajs, without a name or code, if a connection ended before the broker answered on it. */
const KAFKA_MESSAGE = 'Broker not connected';
const KAFKA_NAME = /^(KafkaJS|KafkaUnavailableError$|KafkaRefusal$|MissingRightError$)/;
/** kafkajs names of wrong calls, and of wrappers whose cause decides. */
const KAFKA_DEFECT_NAMES = new Set([
  'KafkaJSNonRetriableError',
  'KafkaJSNotImplemented',
  'KafkaJSInvariantViolation',
  'KafkaJSInvalidVarIntError',
  'KafkaJSInvalidLongError',
]);

/**
 * SQLSTATEs of a server that cannot work now: connections, refused users and rights, a missing database, a
 * transaction that conflicts with another, resources, a taken lock, an operator's intervention, and failures
 * of its system.
 */
const DATABASE_STATE = /^(08|28|3D|40|42501$|53|57|58|55P03$|25006$|25P03$)/;
/** Names of slonik's errors for a missing connection or answer. Some have no code. */
const DATABASE_NAMES = new Set([
  'BackendTerminatedError',
  'BackendTerminatedUnexpectedlyError',
  'ConnectionError',
  'IdleTransactionTimeoutError',
  'StatementCancelledError',
  'StatementTimeoutError',
]);
/** Messages of pg and slonik without a name or code of their own. */
const DATABASE_MESSAGE =
  /connection (terminated|timeout|error)|timeout.*connect|timeout expired|read timeout|pool (has ended|has been shut down|is being terminated)|client was closed|client is (pending destroy|destroyed)/i;
/** Unwrapped network and TLS errors come from Postgres: its driver wraps no errors, and Kafka's clients wrap all. */
const NETWORK_CODES = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether JavaScript itself threw the error. It is then a defect of the code, whatever its message. */
export function isBuiltInError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && BUILT_IN.has(String(error.name));
}

/** The meaning of a caught error. */
export function classifyFailure(error: unknown): Failure {
  const errors = [...walkErrors(error)].map(causeOf);
  if (errors.some(({ name }) => name === 'SupersededError')) return 'superseded';
  if (errors.some(isKafkas)) return 'kafka_away';
  if (errors.some(isDatabases)) return 'database_away';
  return 'defect';
}

function isKafkas({ name, code, message }: Cause): boolean {
  if (message === KAFKA_MESSAGE) return true;
  if (KAFKA_CODE.test(code)) return !KAFKA_DEFECT_CODES.has(code);
  return KAFKA_NAME.test(name) && !KAFKA_DEFECT_NAMES.has(name);
}

function isDatabases({ name, code, message }: Cause): boolean {
  if (BUILT_IN.has(name)) return false;
  return (
    isSqlState(code, DATABASE_STATE) ||
    DATABASE_NAMES.has(name) ||
    NETWORK_CODES.has(code) ||
    isTlsCode(code) ||
    DATABASE_MESSAGE.test(message)
  );
}

/** A SQLSTATE has five characters and a digit, unlike EPIPE. */
function isSqlState(code: string, states: RegExp): boolean {
  return /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) && states.test(code);
}

interface Cause {
  name: string;
  code: string;
  message: string;
}

function causeOf(error: object): Cause {
  const { name, code, message } = error as Record<string, unknown>;
  // slonik's errors have the name Error, and a more precise class.
  const className = name === 'Error' || name === undefined ? error.constructor?.name : name;
  return { name: String(className), code: String(code), message: String(message) };
}
