/*
 * Headers of Kafka's records. They tell how a change came about: when it was on its way, and to which trace it belongs.
 * They are no part of the event, whose bytes never change (INV-3); a record that is sent again can have others.
 */

/** The name of the header with the W3C trace context, as OpenTelemetry's clients of Kafka use it. */
const TRACEPARENT = 'traceparent';
const SUBMITTED_AT = 'submitted_at';
const RELAYED_AT = 'relayed_at';

/** The version that is known, the id of a trace, that of a span, and flags. */
const VALID_TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The way of a change until it was sent to Kafka. Times are milliseconds since 1970. */
export interface ChangeOrigin {
  /** When its submission was appended to its topic; null if no submission made it. */
  submittedAt: number | null;
  relayedAt: number | null;
  /** The W3C trace context of the submission; null if there is none. */
  traceparent: string | null;
}

/** The trace context in the headers of a record; null if there is none, or none that is valid. */
export function readTraceparent(headers: ReadonlyMap<string, string>): string | null {
  const text = headers.get(TRACEPARENT);
  return text !== undefined && VALID_TRACEPARENT.test(text) ? text : null;
}

/** The headers of a message that belongs to a trace; none if it belongs to none. */
export function formatTraceparent(traceparent: string | null): Record<string, string> {
  return traceparent === null ? {} : { [TRACEPARENT]: traceparent };
}

/** The headers of a change's record. */
export function formatChangeHeaders({
  submittedAt,
  relayedAt,
  traceparent,
}: ChangeOrigin): Record<string, string> {
  return {
    ...(submittedAt === null ? {} : { [SUBMITTED_AT]: String(Math.round(submittedAt)) }),
    ...(relayedAt === null ? {} : { [RELAYED_AT]: String(Math.round(relayedAt)) }),
    ...formatTraceparent(traceparent),
  };
}

/** The way of a change, by the headers of its record. A header that is missing or invalid gives null. */
export function readChangeHeaders(headers: ReadonlyMap<string, string>): ChangeOrigin {
  const readTime = (name: string) => {
    const text = headers.get(name) ?? '';
    return /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
  };
  return {
    submittedAt: readTime(SUBMITTED_AT),
    relayedAt: readTime(RELAYED_AT),
    traceparent: readTraceparent(headers),
  };
}
