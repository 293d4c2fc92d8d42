const DAY_MS = 86_400_000;

/** Adds a number of days to a date, YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The first Tuesday on or after the date. */
export function tuesdayFrom(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, (2 - weekday + 7) % 7);
}

/** The Tuesday after the first Monday of November. */
function generalElectionDay(year: number): string {
  return tuesdayFrom(`${String(year).padStart(4, '0')}-11-02`);
}

/** The general election days around `today`: the last one before it, and the first one on or after it. */
export function generalElectionDays(today: string): { last: string; next: string } {
  const year = Number(today.slice(0, 4));
  const thisYears = generalElectionDay(year);
  return today <= thisYears
    ? { last: generalElectionDay(year - 1), next: thisYears }
    : { last: thisYears, next: generalElectionDay(year + 1) };
}
