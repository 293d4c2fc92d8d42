import type { Clock } from '../../service/clock.ts';

const DAY_MS = 86_400_000;

/**
 * The first date, YYYY-MM-DD, of elections that are upcoming: yesterday in UTC, so that an election is still upcoming
 * everywhere in the country on its day.
 *
 * @param today counts instead of the clock's date, for demonstrations with past elections.
 */
export function upcomingFrom(clock: Clock, today: string | null): string {
  const now = today === null ? clock.now() : Date.parse(`${today}T00:00:00Z`);
  return new Date(now - DAY_MS).toISOString().slice(0, 10);
}
