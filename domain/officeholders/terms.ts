/** A role of the source. Dates are YYYY, YYYY-MM or YYYY-MM-DD. */
export interface Role {
  /** Its index in the source's list of the person's roles. */
  index: number;
  type: string;
  jurisdiction: string;
  district: string | null;
  start: string | null;
  end: string | null;
  /** The reason for the end, if the source has one. */
  endReason: string | null;
}

/** A role that the person holds today. */
export interface RoleInOffice extends Role {
  /** Whether the role continues although its end in the source has passed. */
  overdue: boolean;
}

/** Whether a date includes the day. */
export function isFullDate(date: string | null): date is string {
  return date !== null && date.length === 10;
}

/** The last day of a date. */
function lastDay(date: string): string {
  const [year = 0, month = 12, day] = date.split('-').map(Number);
  if (day !== undefined) return date;
  // Day 0 is the last day of the month before, whose number is one less here.
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/**
 * The roles that a person holds on the day `today`, YYYY-MM-DD (decision 7):
 *
 * - Roles that have begun and have not ended. A role without a start has begun, and a role without an end has
 *   not ended. A role has ended on the day of its end, because the successor's role begins then.
 * - If the person holds no role by these dates, the folder decides, because the source moves people who left
 *   office to another folder. Of the roles of the folder's kind, the one that ended last continues, also before
 *   a next one begins, unless the source gives a reason for its end.
 *
 * @param isOfFolder whether a role is of the kind of the person's folder.
 */
export function rolesInOffice(
  roles: readonly Role[],
  today: string,
  isOfFolder: (role: Role) => boolean,
): RoleInOffice[] {
  // As text, a month sorts before its first day, so a role with only a month has begun on that day.
  const begun = roles.filter(({ start }) => start === null || start <= today);
  const current = begun.filter(({ end }) => end === null || lastDay(end) > today);
  if (current.length > 0) return current.map((role) => ({ ...role, overdue: false }));
  const [last] = begun
    .filter(isOfFolder)
    .sort((a, b) => (lastDay(a.end ?? '') > lastDay(b.end ?? '') ? -1 : 1));
  return last && last.endReason === null ? [{ ...last, overdue: true }] : [];
}
