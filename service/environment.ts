/** Reads settings from environment variables. An invalid value is reported in one clear sentence. */
import { isCalendarDate } from '../schemas/catalogue/formats.ts';
import { OperatorError } from './operator-error.ts';

const MAX_PORT = 65_535;

/** Environment variables by name. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A missing or invalid setting. */
export class SettingError extends OperatorError {
  override name = 'SettingError';
}

/** The variable's text, or null if it is unset or empty. */
export function readText(env: Environment, name: string): string | null {
  return env[name]?.trim() || null;
}

interface Bounds {
  min: number;
  max: number;
  /** A word that the caller also accepts, for the message. */
  or?: string;
}

/** A whole number from `min` to `max`, or null if the variable is unset. @throws SettingError as `parseInteger` does */
export function readInteger(env: Environment, name: string, bounds: Bounds): number | null {
  const text = readText(env, name);
  return text === null ? null : parseInteger(name, text, bounds);
}

/**
 * Parses a whole number from `min` to `max`.
 *
 * @param name the variable or option, such as `--limit`
 * @throws SettingError with the name, the text and the bounds
 */
export function parseInteger(name: string, text: string, { min, max, or }: Bounds): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < min || value > max) {
    const word = or === undefined ? '' : `, or ${or}`;
    throw new SettingError(`${name} is "${text}"; it must be a whole number from ${min} to ${max}${word}.`);
  }
  return value;
}

/**
 * A calendar date, YYYY-MM-DD, or null if the variable is unset.
 *
 * @throws SettingError that names the variable and its value
 */
export function readDate(env: Environment, name: string): string | null {
  const text = readText(env, name);
  if (text !== null && !isCalendarDate(text)) {
    throw new SettingError(`${name} is "${text}"; it must be a date such as 2026-11-03.`);
  }
  return text;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** How long an event stays readable, in milliseconds: RETENTION_MS, by default a week. */
export function readRetention(env: Environment): number {
  return readInteger(env, 'RETENTION_MS', { min: 1000, max: YEAR_MS }) ?? WEEK_MS;
}

/** A port number, or null if the variable is unset. 0 asks for a free port. */
export function readPort(env: Environment, name: string): number | null {
  return readInteger(env, name, { min: 0, max: MAX_PORT });
}

/**
 * Parses an address to which requests are sent.
 *
 * @param name the variable
 * @returns null if the text is not an address
 * @throws SettingError if it holds a login, which no request can have, and which errors and logs would show
 */
export function parseAddress(name: string, text: string): URL | null {
  const url = URL.parse(text);
  if (!url?.username && !url?.password) return url;
  throw new SettingError(`${name} holds a user or a password, which cannot be sent: leave them out.`);
}

/**
 * Reads PUBLIC_URL, the service's address for people: a scheme, a host and perhaps a port.
 *
 * @returns the address without a slash at its end; null if it is not set
 * @throws SettingError if its form is wrong
 */
export function readPublicUrl(env: Environment): string | null {
  const text = readText(env, 'PUBLIC_URL');
  if (text === null) return null;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text))
    return url.origin;
  throw new SettingError(
    `PUBLIC_URL is "${text}"; it must be an address such as https://ballots.example.org.`,
  );
}

/**
 * The beginning of every topic's name: TOPIC_PREFIX, by default empty. With it, the longest name has at most the 249
 * characters of Kafka.
 *
 * @throws SettingError if no topic can have such a name
 */
export function readTopicPrefix(env: Environment): string {
  const text = readText(env, 'TOPIC_PREFIX') ?? '';
  if (/^[A-Za-z0-9._-]{0,200}$/.test(text)) return text;
  throw new SettingError(
    `TOPIC_PREFIX is "${text}"; it must have at most 200 letters, digits, ".", "_" and "-".`,
  );
}
