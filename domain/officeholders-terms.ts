/** A role of the source. Dates are YYYY, YYYY-MM or YYYY-MM-DD. */
export interface Role {
  /** Its place in the source's list of the person's roles, from 0. */
  index: number;
  type: string;
  jurisdiction: string;
  district: string | null;
  start: string | null;
  end: string | null;
  /** Why the role ended, where the source says. */
  endReason: string | null;
}

/** A role that its holder is in. */
export interface RoleInOffice extends Role {
  /** Whether it ended on paper, and goes on all the same. */
  overdue: boolean;
}

/** Whether a date is known to the day. */
export function isFullDate(date: string | null): date is string {
  return date !== null && date.length === 10;
}

/** The last day that a date can mean; the 31st of a shorter month compares as well. */
function lastDay(date: string): string {
  return { 4: `${date}-12-31`, 7: `${date}-31` }[date.length] ?? date;
}

/**
 * The roles that a person is in on the day `today`, YYYY-MM-DD (decision 7):
 *
 * - By dates: those that have begun, or do not say when, and whose end has not come, or is not given. On the day of its
 *   end a role has ended, because the successor's begins then.
 * - On paper all of a person's roles may have ended. The source keeps whoever left office in another folder, so that
 *   the folder speaks for the person: then the role of the folder's kind that ended last goes on, unless the source
 *   gives a reason for its end.
 *
 * @param isOfFolder whether a role is of the kind that the person's folder is for.
 */
export function rolesInOffice(
  roles: readonly Role[],
  today: string,
  isOfFolder: (role: Role) => boolean,
): RoleInOffice[] {
  // As text, a month comes before its first day: what began some day of it has begun.
  const begun = roles.filter(({ start }) => start === null || start <= today);
  const current = begun.filter(({ end }) => end === null || lastDay(end) > today);
  if (current.length > 0) return current.map((role) => ({ ...role, overdue: false }));
  const [last] = begun
    .filter((role) => role.end !== null && isOfFolder(role))
    .sort((a, b) => (lastDay(a.end ?? '') > lastDay(b.end ?? '') ? -1 : 1));
  return last && last.endReason === null ? [{ ...last, overdue: true }] : [];
}
