/** How much of a limit is left. */
export interface LimitState {
  limit: number;
  remaining: number;
  /** How long until it is whole again, in milliseconds. */
  resetMs: number;
}

/** The limits of an account; null where its plan has none. */
export interface LimitStates {
  minute: LimitState | null;
  day: LimitState | null;
}

/** Whole seconds after which the time is surely over. */
export function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/**
 * The headers that say how much is left: those in common use for the minute and the day, and both limits as
 * draft-ietf-httpapi-ratelimit-headers (09 and later) says. What the plan does not limit is left out.
 */
export function formatLimitHeaders({ minute, day }: LimitStates): Record<string, string> {
  const headers: Record<string, string> = {};
  if (minute) {
    headers['RateLimit-Limit'] = String(minute.limit);
    headers['RateLimit-Remaining'] = String(minute.remaining);
    headers['RateLimit-Reset'] = String(toSeconds(minute.resetMs));
    headers['RateLimit-Policy'] = `"minute";q=${minute.limit};w=60`;
    headers.RateLimit = `"minute";r=${minute.remaining};t=${toSeconds(minute.resetMs)}`;
  }
  if (day) {
    headers['X-Daily-Limit'] = String(day.limit);
    headers['X-Daily-Remaining'] = String(day.remaining);
    const before = minute ? ', ' : '';
    headers['RateLimit-Policy'] = `${headers['RateLimit-Policy'] ?? ''}${before}"day";q=${day.limit};w=86400`;
    headers.RateLimit = `${headers.RateLimit ?? ''}${before}"day";r=${day.remaining};t=${toSeconds(day.resetMs)}`;
  }
  return headers;
}
