import type { Clock } from '../../service/clock.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the first date, YYYY-MM-DD, of upcoming elections: yesterday in UTC, so that an election is still
 * upcoming on its day in every time zone of the country.
 *
 * @param today replaces the clock's date, for demonstrations with past elections.
 */
export function upcomingFrom(clock: Pick<Clock, 'now'>, today: string | null): string {
  const now = today === null ? clock.now() : Date.parse(`${today}T00:00:00Z`);
  return new Date(now - DAY_MS).toISOString().slice(0, 10);
}

/** Replaces `upcoming` among filters with the first date of upcoming elections, or undefined if it is not set. */
export function withElectionsFrom<Filters extends { upcoming?: boolean | undefined }>(
  { upcoming, ...filters }: Filters,
  { clock, config }: { clock: Pick<Clock, 'now'>; config: { today: string | null } },
) {
  return { ...filters, electionsFrom: upcoming ? upcomingFrom(clock, config.today) : undefined };
}
