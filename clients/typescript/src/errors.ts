/** The base of all errors of this package, except TypeErrors for wrong arguments. */
export class BallotEndorsementsError extends Error {
  override name = 'BallotEndorsementsError';
}

/** The values of an error answer. */
export interface ApiErrorValues {
  status: number;
  code: string;
  message: string;
  requestId: string | null;
  retryAfterMs: number | null;
}

/** The service, or a proxy in front of it, answered with an error. */
export class ApiError extends BallotEndorsementsError {
  override name = 'ApiError';
  /** The HTTP status. For an error within a stream, it is the usual status of its code. */
  readonly status: number;
  /** The service's code, such as `invalid_parameter`; `http_502` and the like for an answer of something else. */
  readonly code: string;
  /** Names the request in the service's log; null if the answer named none. */
  readonly requestId: string | null;
  /**
   * The delay before another try that the service asked for, in milliseconds from the answer; null if it named none.
   */
  readonly retryAfterMs: number | null;

  constructor({ status, code, message, requestId, retryAfterMs }: ApiErrorValues) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The cursor is older than the stream's oldest event, or belongs to another epoch. Read `/v1/endorsements` again and
 * continue from its `stream_cursor`, as a mirror does by itself.
 */
export class CursorExpiredError extends ApiError {
  override name = 'CursorExpiredError';
}

/** The network failed: there was no complete answer. `cause` has the reason. */
export class NetworkError extends BallotEndorsementsError {
  override name = 'NetworkError';
}

/** An answer, its next bytes, or the changes for a verification did not arrive in time. */
export class TimeoutError extends BallotEndorsementsError {
  override name = 'TimeoutError';
}

/** The answer does not come from this service. Check the base URL and the proxies in between. */
export class UnexpectedAnswerError extends BallotEndorsementsError {
  override name = 'UnexpectedAnswerError';
}

/** An export ended before all of the records that the service counted. */
export class IncompleteExportError extends BallotEndorsementsError {
  override name = 'IncompleteExportError';
}

/** The storage holds something other than this mirror's copy. */
export class StorageError extends BallotEndorsementsError {
  override name = 'StorageError';
}

/** Codes that can also appear within a stream, with their usual status. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  missing_api_key: 401,
  invalid_api_key: 401,
  revoked_api_key: 401,
  expired_api_key: 401,
  insufficient_scope: 403,
  account_suspended: 403,
  not_found: 404,
  subscription_not_found: 404,
  cursor_expired: 410,
  rate_limit_exceeded: 429,
  daily_limit_exceeded: 429,
  too_many_streams: 429,
  too_many_requests_in_flight: 429,
  not_available: 503,
  warming_up: 503,
  server_busy: 503,
};

/** Creates the error of an answer. */
export function createApiError(values: ApiErrorValues): ApiError {
  return values.status === 410 && values.code === 'cursor_expired'
    ? new CursorExpiredError(values)
    : new ApiError(values);
}

/** Creates the error of a message within an answer whose status was 200. */
export function createInnerError(error: {
  code?: unknown;
  message?: unknown;
  request_id?: unknown;
}): ApiError {
  const { code, message, request_id } = error;
  const known = typeof code === 'string' ? code : 'internal_error';
  return createApiError({
    status: STATUS_OF_CODE[known] ?? 500,
    code: known,
    message: typeof message === 'string' ? message : `The service failed with ${known}.`,
    requestId: typeof request_id === 'string' ? request_id : null,
    retryAfterMs: null,
  });
}
