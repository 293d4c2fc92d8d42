import type { Parsed } from '../../schemas/problems.ts';

/** The problems of a record that is refused, as sentences that begin with their fields; none of an accepted one. */
export function problemsOf(parsed: Parsed<unknown>): string[] {
  if (parsed.ok) return [];
  return parsed.problems.map(({ field, message }) => (field === null ? message : `${field} ${message}`));
}
