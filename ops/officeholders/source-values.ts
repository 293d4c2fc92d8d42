import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { type Problem, showValue } from '../../schemas/problems.ts';

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value stands for an unknown one. */
export function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && ['', '~', 'null'].includes(value.trim()));
}

/** A mapping without its blank values. */
export function withoutBlanks(mapping: Mapping): Mapping {
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => !isBlank(value)));
}

/** The problem with a date, if it has one. For some dates, the source knows only the month or the year. */
export function dateProblems(field: string, date: string | null | undefined): Problem[] {
  if (date == null || isCalendarDate(`${date}-01-01`.slice(0, Math.max(10, date.length)))) return [];
  return [{ field, message: `must be a real date as YYYY-MM-DD, YYYY-MM or YYYY, is ${showValue(date)}` }];
}
