/*
 * The sentence for a server's refusal of this process, for the log. An operator must correct something;
 * meanwhile the program keeps trying. Kafka's refusals are explained beside its clients; Postgres's are
 * explained here.
 */
import { classifyFailure, type Failure } from './failure.ts';
import { describeMissingTopic, findMissingTopic } from './missing-topic.ts';
import { OperatorError } from './operator-error.ts';
import { explainTlsCode } from './tls-codes.ts';
import { walkErrors } from './walk-errors.ts';

const MEANING: Record<Failure, string> = {
  database_away: 'the database does not answer',
  kafka_away: 'Kafka does not answer',
  superseded: 'superseded by another process or history',
  defect: 'a defect of the service',
};

interface Explanation {
  failure: Failure;
  /** The sentence for a refusal; null for any other error. */
  refusal: string | null;
  /** The reason to show in brackets after the failed action: a refusal, an outage, or a defect. */
  reason: string;
}

/** The meaning of an error, for a program and for an operator. */
export function explainFailure(error: unknown): Explanation {
  const failure = classifyFailure(error);
  const refusal = explainRefusal(error);
  return { failure, refusal, reason: (refusal ?? MEANING[failure]).replace(/\.$/, '') };
}

function explainRefusal(error: unknown): string | null {
  for (const cause of walkErrors(error)) {
    if (cause instanceof OperatorError) return cause.message;
    const topic = findMissingTopic(cause);
    if (topic !== null) return `${describeMissingTopic(topic)}, unless TOPIC_PREFIX is wrong.`;
    const sentence = explainDatabaseRefusal(cause, 'Postgres', null);
    if (sentence !== null) return sentence;
  }
  return null;
}

/** The meaningful parts of a pg error. */
export interface DatabaseError {
  code?: unknown;
  message?: unknown;
}

/** The settings of Postgres's TLS. */
const TLS_SETTINGS = {
  ca: 'DATABASE_CA_FILE',
  cert: 'DATABASE_CERT_FILE',
  name: null,
  mode: 'sslmode of DATABASE_URL',
};

/**
 * The sentence for Postgres's refusal of this process; null for any other error.
 *
 * @param server the server's name in the sentence
 * @param client this process's certificate, if any
 */
export function explainDatabaseRefusal(
  { code, message }: DatabaseError,
  server: string,
  client: { setting: string; subject: string; validTo: Date } | null,
): string | null {
  const reason = String(message);
  if (code === '28P01' || reason.startsWith('SASL:')) {
    return `${server} refuses the user or the password (${reason}): correct DATABASE_URL or DATABASE_PASSWORD_FILE.`;
  }
  if (code === '28000') {
    return `${server} refuses the user (${reason}): correct DATABASE_URL, or the rules of pg_hba.conf.`;
  }
  if (code === '42501') {
    return `${server} does not let the user do that (${reason}): name the owner of the tables in DATABASE_URL.`;
  }
  if (code === '25006') {
    return `${server} is a replica or read-only (${reason}): name the primary in DATABASE_URL.`;
  }
  if (code === '3D000') {
    return `${server} has no such database (${reason}): create it, or name another in DATABASE_URL.`;
  }
  if (code === '42P01' || code === '42703') {
    return `${server} lacks the schema of this version (${reason}): run "npm run ops -- migrate".`;
  }
  if (code === '08P01' && reason.startsWith('unsupported startup parameter')) {
    return `${server} is behind a pooler that refuses a setting (${reason}): name it in the pooler's ignore_startup_parameters.`;
  }
  if (reason === 'The server does not support SSL connections') {
    return `${server} does not speak TLS: set ssl=on there, or correct ${TLS_SETTINGS.mode}.`;
  }
  return explainTlsCode(String(code), { server, settings: TLS_SETTINGS, client, message: reason });
}
