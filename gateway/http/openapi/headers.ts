import type { Document } from './schemas.ts';

const integer = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

const OF_LIMIT = 'Only in answers to a known key, and only if the plan has the limit.';

/** Every header of answers that clients can use. A required header comes with every answer that lists it. */
const HEADERS = {
  'X-Request-Id': {
    description:
      "The id of the request: the client's own X-Request-Id if it has 1 to 100 letters, digits, dots, underscores, " +
      'colons or hyphens, otherwise a new one. Quote it in a report.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,100}$' },
  },
  'RateLimit-Limit': {
    description: `Requests that the plan allows in a minute. ${OF_LIMIT}`,
    schema: integer,
  },
  'RateLimit-Remaining': {
    description: `Requests left in this minute. ${OF_LIMIT}`,
    schema: integer,
  },
  'RateLimit-Reset': { description: `Seconds until the next minute begins. ${OF_LIMIT}`, schema: integer },
  'X-Daily-Limit': {
    description: `Requests that the plan allows in a day (UTC). ${OF_LIMIT}`,
    schema: integer,
  },
  'X-Daily-Remaining': { description: `Requests left in this day (UTC). ${OF_LIMIT}`, schema: integer },
  'RateLimit-Policy': {
    description: `Every limit of the plan, as draft-ietf-httpapi-ratelimit-headers defines it: its quota (q) and the seconds of its window (w). ${OF_LIMIT}`,
    schema: text,
  },
  RateLimit: {
    description: `The state of every limit, as draft-ietf-httpapi-ratelimit-headers defines it: the remaining requests (r) and the seconds until it is reset (t). ${OF_LIMIT}`,
    schema: text,
  },
  ETag: {
    description: 'Names this content. Send it as If-None-Match to learn whether it has changed.',
    required: true,
    schema: { type: 'string', pattern: '^W/"[^"]+"$' },
  },
  Location: { description: 'The path of the new record.', required: true, schema: text },
  'WWW-Authenticate': {
    description: 'The scheme in which a key is sent.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
} as const;

type HeaderName = keyof typeof HEADERS;

/** The headers of every answer to a known key. */
const OF_EVERY_ANSWER: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Daily-Limit',
  'X-Daily-Remaining',
  'RateLimit-Policy',
  'RateLimit',
];

/** The headers as components. */
export const headerComponents: Document = HEADERS;

/** Describes the headers of an answer: those of every answer, and the named ones. */
export const describeHeaders = (...names: HeaderName[]): Document =>
  Object.fromEntries(
    [...OF_EVERY_ANSWER, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Describes a header of requests. */
export const describeHeader = (name: string, description: string, required: boolean): Document => ({
  ...{ name, in: 'header', required, description },
  schema: text,
});
