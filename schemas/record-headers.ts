/*
 * Headers of Kafka's records. They describe the origin of a change: its times on the way, and its trace. They do not belong
 * to the event, whose bytes never change (INV-3): a record that is sent again can have other headers.
 */

/** The header with the W3C trace context, named as in OpenTelemetry's Kafka clients. */
const TRACEPARENT = 'traceparent';
const SUBMITTED_AT = 'submitted_at';
const RELAYED_AT = 'relayed_at';
/** The header with the name that the sender of a submission gives itself. */
const SUBMITTED_BY = 'submitted_by';
/** A sender: a name of 1 to 200 visible characters. */
const VALID_SENDER = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u;

/** The known version, a trace id, a span id and flags. */
const VALID_TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The way of a change until it was sent to Kafka. Times are milliseconds since 1970. */
export interface ChangeOrigin {
  /** When its submission was appended to its topic; null if the change has no submission. */
  submittedAt: number | null;
  relayedAt: number | null;
  /** The W3C trace context of the submission; null without one. */
  traceparent: string | null;
}

/** The trace context in the headers of a record; null if it is missing or invalid. */
export function readTraceparent(headers: ReadonlyMap<string, string>): string | null {
  const text = headers.get(TRACEPARENT);
  return text !== undefined && VALID_TRACEPARENT.test(text) ? text : null;
}

/** The sender in the headers of a submission's record; null if it is missing or invalid. Anybody can claim any name. */
export function readSender(headers: ReadonlyMap<string, string>): string | null {
  const text = headers.get(SUBMITTED_BY);
  return text !== undefined && VALID_SENDER.test(text) ? text : null;
}

/** The header with the sender of a submission; empty without one. */
export function formatSender(sender: string | null): Record<string, string> {
  return sender === null ? {} : { [SUBMITTED_BY]: sender };
}

/** The headers of a message in a trace; empty without a trace. */
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

/** The origin of a change, from the headers of its record. A missing or invalid header gives null. */
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
