/** Reading settings out of environment variables, with one clear sentence for a value that cannot be right. */
import { isCalendarDate } from '../schemas/catalogue/formats.ts';

/** Environment variables by name; an empty one counts as not given. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that is missing or cannot be right. Its message is for whoever set it. */
export class SettingError extends Error {
  override name = 'SettingError';
}

/** The variable's text, or undefined where it is not given or empty. */
export function readText(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** @throws SettingError where the variable is not given. */
export function requireText(env: Environment, name: string, example: string): string {
  const text = readText(env, name);
  if (text === undefined) throw new SettingError(`${name} is not set; it must be like ${example}.`);
  return text;
}

/**
 * A whole number between two bounds, both included, or the fallback where the variable is not given.
 *
 * @throws SettingError naming the variable, its value and the bounds.
 */
export function readInteger<T>(
  env: Environment,
  name: string,
  { min, max, fallback }: { min: number; max: number; fallback: T },
): number | T {
  const text = readText(env, name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < min || value > max) {
    throw new SettingError(`${name} is "${text}"; it must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

/**
 * A calendar date, YYYY-MM-DD, or undefined where the variable is not given.
 *
 * @throws SettingError naming the variable and its value.
 */
export function readDate(env: Environment, name: string): string | undefined {
  const text = readText(env, name);
  if (text !== undefined && !isCalendarDate(text)) {
    throw new SettingError(`${name} is "${text}"; it must be a date such as 2026-11-03.`);
  }
  return text;
}

/**
 * Kafka's brokers: `host:port`, comma-separated.
 *
 * @throws SettingError where the variable is not given or an item has another form.
 */
export function readBrokers(env: Environment, name: string): string[] {
  const text = requireText(env, name, 'host:9092');
  const brokers = text.split(',').map((item) => item.trim());
  for (const broker of brokers) {
    if (!/^([^\s:[\]]+|\[[^\]]+\]):[0-9]{1,5}$/.test(broker)) {
      throw new SettingError(`${name} is "${text}"; it must be host:port, comma-separated.`);
    }
  }
  return brokers;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** How long an event stays readable, in milliseconds: RETENTION_MS, a week where it is not given. */
export function readRetention(env: Environment): number {
  return readInteger(env, 'RETENTION_MS', { min: 1000, max: YEAR_MS, fallback: WEEK_MS });
}

/** A port number, or the fallback where the variable is not given. */
export function readPort(env: Environment, name: string, fallback: number): number {
  return readInteger(env, name, { min: 0, max: 65_535, fallback });
}
