import { ERROR_STATUS, type ErrorCode } from '../../../schemas/errors.ts';
import { errorBody } from '../../../schemas/http/errors.ts';
import type { Route } from '../route.ts';
import { examples } from './examples.ts';
import { describeHeaders } from './headers.ts';
import type { Document, SchemaReference } from './schemas.ts';

/** The reason for each code, and the client's next step. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  invalid_parameter:
    'a parameter of the query, the path or a header is invalid, unknown, repeated or retired',
  invalid_json:
    'the body is not a JSON object in UTF-8, has another content type, or has a number that cannot be kept exactly',
  invalid_filter: 'the filter in the body is invalid, or names an unknown slug',
  invalid_subscription: 'another field of the body is invalid',
  invalid_submission: 'another field of the body is invalid. The message names every problem',
  invalid_webhook: 'another field of the body is invalid',
  missing_api_key: 'the header `Authorization: Bearer …` is missing',
  invalid_api_key: 'the key does not exist',
  revoked_api_key: 'the key was revoked',
  expired_api_key: 'the key has expired',
  insufficient_scope: 'the key lacks the scope that the operation needs',
  account_suspended: 'the account of the key is suspended',
  endorser_not_allowed:
    'the account may not publish for an endorser, which the message names. Operators of the service allow it',
  not_found: 'the record does not exist',
  subscription_not_found: 'the account has no such subscription',
  method_not_allowed: 'the path takes other methods, which `Allow` lists',
  conflict:
    'the name is taken, the account has as many subscriptions or webhooks as it may have, a webhook uses the ' +
    'subscription, or the Idempotency-Key was used for another body',
  cursor_expired:
    'the cursor is older than retention. Catch up through `/v1/endorsements`, then continue from its `stream_cursor`',
  body_too_large: 'the body is larger than 384 KB',
  rate_limit_exceeded:
    'the requests of this minute are used up, or too many requests of the account are under way',
  daily_limit_exceeded: 'the requests of this day (UTC) are used up',
  too_many_streams:
    'the account has as many open streams as its plan allows. Such an answer does not count against the limits of requests, and `Retry-After` grows from one second to five minutes',
  too_many_requests_in_flight:
    'too many large answers that the account has not taken, and large bodies that it sends, are in flight',
  internal_error: 'the service has a defect. The request can be sent again',
  not_available: 'officeholders have never been loaded into the service, or it does not deliver to webhooks',
  warming_up: 'the gateway has just started and is catching up with the stream',
  server_busy: 'the data cannot be read at the moment, or other clients are taking many large answers',
};

/** The codes that every operation can return. */
const OF_EVERY_OPERATION: readonly ErrorCode[] = [
  'invalid_parameter',
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'insufficient_scope',
  'account_suspended',
  'rate_limit_exceeded',
  'daily_limit_exceeded',
  'too_many_requests_in_flight',
  'internal_error',
  'server_busy',
];

/** The answers that operations share, each with all of its codes. An operation has at most one of each status. */
const ANSWERS: Readonly<Record<string, readonly ErrorCode[]>> = {
  InvalidParameter: ['invalid_parameter'],
  InvalidBody: ['invalid_parameter', 'invalid_json', 'invalid_filter', 'invalid_subscription'],
  InvalidWebhook: ['invalid_parameter', 'invalid_json', 'invalid_filter', 'invalid_webhook'],
  InvalidResumption: ['invalid_parameter', 'invalid_json', 'invalid_webhook'],
  InvalidSubmissions: ['invalid_parameter', 'invalid_json', 'invalid_submission'],
  Unauthorized: ['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'expired_api_key'],
  Forbidden: ['insufficient_scope', 'account_suspended'],
  ForbiddenOrForeign: ['insufficient_scope', 'account_suspended', 'endorser_not_allowed'],
  NotFound: ['not_found'],
  SubscriptionNotFound: ['subscription_not_found'],
  Conflict: ['conflict'],
  CursorExpired: ['cursor_expired'],
  BodyTooLarge: ['body_too_large'],
  TooManyRequests: ['rate_limit_exceeded', 'daily_limit_exceeded', 'too_many_requests_in_flight'],
  TooManyRequestsOrStreams: [
    'rate_limit_exceeded',
    'daily_limit_exceeded',
    'too_many_requests_in_flight',
    'too_many_streams',
  ],
  InternalError: ['internal_error'],
  ServerBusy: ['server_busy'],
  NotLoaded: ['not_available', 'server_busy'],
  NotLoadedOrWarmingUp: ['not_available', 'warming_up', 'server_busy'],
  WarmingUp: ['warming_up', 'server_busy'],
};

const setOf = (codes: readonly ErrorCode[]) => [...codes].sort().join();
const NAMES = new Map(Object.entries(ANSWERS).map(([name, codes]) => [setOf(codes), name]));

function describeAnswer(codes: readonly ErrorCode[], reference: SchemaReference): Document {
  const status = codes[0] && ERROR_STATUS[codes[0]];
  const code = { enum: codes };
  return {
    description: codes.map((each) => `- \`${each}\`: ${MEANING[each]}.`).join('\n'),
    headers: describeHeaders(
      ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
      ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ),
    content: {
      'application/json': {
        // Next to the reference, so that generated clients have one type for all errors.
        schema: { ...reference.describe(errorBody), properties: { error: { properties: { code } } } },
        examples: Object.fromEntries(codes.map((each) => [each, { value: examples.errors[each] }])),
      },
    },
  };
}

/** The answers with errors, as components. */
export const describeErrorAnswers = (reference: SchemaReference): Document =>
  Object.fromEntries(
    Object.entries(ANSWERS).map(([name, codes]) => [name, describeAnswer(codes, reference)]),
  );

/** The codes that a route can return. */
function errorCodesOf({ errors = [], body }: Pick<Route, 'errors' | 'body'>): ErrorCode[] {
  const ofBody: ErrorCode[] = body ? ['invalid_json', 'body_too_large', body.refusal] : [];
  return [...new Set([...OF_EVERY_OPERATION, ...ofBody, ...errors])];
}

/** Refers to the error answers of a route, by status. @throws Error if no answer is named for the codes of a status. */
export function referToErrorAnswers(route: Pick<Route, 'errors' | 'body'>): Document {
  const byStatus = Object.groupBy(errorCodesOf(route), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => {
      const name = NAMES.get(setOf(codes));
      if (name === undefined)
        throw new Error(`No answer of status ${status} is named for ${codes.join(', ')}.`);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}
