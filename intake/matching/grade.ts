/** How sure a match is, the surest first. */
export const GRADES = ['exact', 'close', 'ambiguous', 'none'] as const;
export type Grade = (typeof GRADES)[number];

/** The outcome of matching a name. `value` is set if exactly one record fits. */
export interface Match<T> {
  grade: Grade;
  value: T | null;
  /** Why the match is not exact, or why it is in spite of the name; null if the names say it all. */
  reason: string | null;
}

/** The least sure of some grades. */
export const worstOf = (grades: readonly Grade[]): Grade =>
  GRADES[Math.max(0, ...grades.map((grade) => GRADES.indexOf(grade)))] ?? 'none';

/** The most records that a reason names. */
const MAX_NAMED = 5;

/** A list for a reason: `a, b or c`, shortened after some. */
export function listSome(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} or ${more} others`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}
