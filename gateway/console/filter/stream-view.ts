import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { readFilter, writeFilter } from './filter-form.ts';

export const STARTS = ['latest', 'earliest', 'since', 'cursor'] as const;
type Start = (typeof STARTS)[number];

/** A part of the stream, in the address of the live page. */
export interface StreamView {
  filter: StreamFilter;
  /** A subscription's id or name instead of a filter; null without one. */
  subscription: string | null;
  start: Start;
  /** The text of the field for a time in UTC. */
  since: string;
  /** The text of the field for an id. */
  cursor: string;
}

/** Reads the address of the live page. */
export function readStreamView(query: URLSearchParams): StreamView {
  const asked = query.get('start');
  return {
    filter: readFilter(query),
    subscription: query.get('subscription') || null,
    start: STARTS.find((start) => start === asked) ?? 'latest',
    since: query.get('since') ?? '',
    cursor: (query.get('cursor') ?? '').trim(),
  };
}

/** Turns the time of a browser's field into the API's form. Other texts stay, and the API refuses invalid ones. */
function asUtc(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(text) ? `${text}Z` : text;
}

/** A part of the stream as parameters of the API. */
export function writeApiQuery({ filter, subscription, start, since, cursor }: StreamView): URLSearchParams {
  const query = writeFilter(filter);
  if (subscription !== null) query.set('subscription', subscription);
  if (start === 'since') query.set('since', asUtc(since));
  else if (start === 'cursor') query.set('cursor', cursor);
  else query.set('from', start);
  return query;
}

/** The address of the live page for a part of the stream. */
export function addressOf({ filter, subscription, start, since, cursor }: StreamView): string {
  const query = writeFilter(filter);
  if (subscription !== null) query.set('subscription', subscription);
  if (start !== 'latest') query.set('start', start);
  if (start === 'since') query.set('since', since);
  if (start === 'cursor') query.set('cursor', cursor);
  return query.size === 0 ? '/console/live' : `/console/live?${query}`;
}
