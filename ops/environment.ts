/** Reading settings out of environment variables, with one clear sentence for a value that cannot be right. */
import { OpsError } from './ops-error.ts';

/** Environment variables by name; an empty one counts as not given. */
export type Environment = Record<string, string | undefined>;

/** The variable's text, or null where it is not given or empty. */
export function readText(env: Environment, name: string): string | null {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? null : value;
}

/**
 * A whole number between two bounds, or null where the variable is not given.
 *
 * @throws OpsError naming the variable, its value and the bounds
 */
export function readInteger(
  env: Environment,
  name: string,
  bounds: { min: number; max: number },
): number | null {
  const text = readText(env, name);
  if (text === null) return null;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < bounds.min || value > bounds.max) {
    throw new OpsError(
      `${name} is "${text}"; it must be a whole number from ${bounds.min} to ${bounds.max}.`,
    );
  }
  return value;
}

/**
 * A calendar date (YYYY-MM-DD) that exists, or null where the variable is not given.
 *
 * @throws OpsError naming the variable and its value
 */
export function readDate(env: Environment, name: string): string | null {
  const text = readText(env, name);
  if (text === null) return null;
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (date === null || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text)) {
    throw new OpsError(`${name} is "${text}"; it must be a date such as 2026-11-03.`);
  }
  return text;
}
