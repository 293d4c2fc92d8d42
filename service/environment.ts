/** Reading settings out of environment variables, with one clear sentence for a value that cannot be right. */
import { isCalendarDate } from '../schemas/catalogue/formats.ts';
import { OperatorError } from './operator-error.ts';

const MAX_PORT = 65_535;

/** Environment variables by name; an empty one counts as not given. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that is missing or cannot be right. Its message is for whoever set it. */
export class SettingError extends OperatorError {
  override name = 'SettingError';
}

/** The variable's text, or null where it is not given or empty. */
export function readText(env: Environment, name: string): string | null {
  return env[name]?.trim() || null;
}

/** @throws SettingError where the variable is not given. */
function requireText(env: Environment, name: string, example: string): string {
  const text = readText(env, name);
  if (text === null) throw new SettingError(`${name} is not set; it must be like ${example}.`);
  return text;
}

/**
 * A whole number between two bounds, both included, or null where the variable is not given.
 *
 * @throws SettingError naming the variable, its value and the bounds.
 */
export function readInteger(
  env: Environment,
  name: string,
  { min, max }: { min: number; max: number },
): number | null {
  const text = readText(env, name);
  if (text === null) return null;
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < min || value > max) {
    throw new SettingError(`${name} is "${text}"; it must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

/**
 * A calendar date, YYYY-MM-DD, or null where the variable is not given.
 *
 * @throws SettingError naming the variable and its value.
 */
export function readDate(env: Environment, name: string): string | null {
  const text = readText(env, name);
  if (text !== null && !isCalendarDate(text)) {
    throw new SettingError(`${name} is "${text}"; it must be a date such as 2026-11-03.`);
  }
  return text;
}

/**
 * Kafka's brokers, each `host:port`, or null where KAFKA_BROKERS is not given.
 *
 * @throws SettingError where an item has another form.
 */
export function readBrokers(env: Environment): string[] | null {
  const text = readText(env, 'KAFKA_BROKERS');
  if (text === null) return null;
  const brokers = text.split(',').map((item) => item.trim());
  for (const broker of brokers) {
    const port = /^(?:[^\s:[\]]+|\[[^\]]+\]):([0-9]{1,5})$/.exec(broker)?.[1];
    if (port === undefined || Number(port) < 1 || Number(port) > MAX_PORT) {
      throw new SettingError(`KAFKA_BROKERS is "${text}"; it must be host:port, comma-separated.`);
    }
  }
  return brokers;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** How long an event stays readable, in milliseconds: RETENTION_MS, a week where it is not given. */
export function readRetention(env: Environment): number {
  return readInteger(env, 'RETENTION_MS', { min: 1000, max: YEAR_MS }) ?? WEEK_MS;
}

/** A port number, or null where the variable is not given; 0 asks for a free one. */
export function readPort(env: Environment, name: string): number | null {
  return readInteger(env, name, { min: 0, max: MAX_PORT });
}

const DATABASE_URL_EXAMPLE = 'postgres://user:password@host:5432/database';

/**
 * Holds DATABASE_URL to the form of a connection string. One that is none is shown only up to where a password could
 * begin in it.
 *
 * @throws SettingError where it has another form.
 */
export function checkDatabaseUrl(text: string): void {
  // Between the @ and the path there is nothing where Postgres is reached through a file.
  if (/^postgres(ql)?:\/\//i.test(text) && URL.canParse(text.replace('@/', '@file/'))) return;
  const shown = /^[^:=@]*[:=@]?/.exec(text)?.[0] ?? '';
  const rest = shown === text ? '' : '…';
  throw new SettingError(
    `DATABASE_URL is "${shown}${rest}"; it must be like ${DATABASE_URL_EXAMPLE}, with special characters of the ` +
      'password percent-encoded.',
  );
}

/** The servers that every process of the service talks to. */
export interface Servers {
  databaseUrl: string;
  /** `host:port` of each. */
  brokers: string[];
  /** What every topic's name begins with; empty in ordinary use. */
  topicPrefix: string;
}

/** @throws SettingError where DATABASE_URL or KAFKA_BROKERS is missing, or cannot be right. */
export function readServers(env: Environment): Servers {
  const databaseUrl = requireText(env, 'DATABASE_URL', DATABASE_URL_EXAMPLE);
  checkDatabaseUrl(databaseUrl);
  requireText(env, 'KAFKA_BROKERS', 'host:9092');
  return { databaseUrl, brokers: readBrokers(env) ?? [], topicPrefix: readText(env, 'TOPIC_PREFIX') ?? '' };
}
