/** The state of one limit. */
export interface LimitState {
  limit: number;
  remaining: number;
  /** The time until the limit is reset, in milliseconds. */
  resetMs: number;
}

/** The limits of an account; null for a limit that its plan does not have. */
export interface LimitStates {
  minute: LimitState | null;
  day: LimitState | null;
}

/** Rounds up to whole seconds, at least one, so that a client never returns too early. */
export function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/**
 * Formats the rate limit headers: those in common use for the minute and the day, and both limits as defined by
 * draft-ietf-httpapi-ratelimit-headers (09 and later). Limits that the plan does not have are left out.
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
