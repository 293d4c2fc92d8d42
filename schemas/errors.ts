/** Every code of an error body, with its HTTP status. The list is closed; a test checks it. */
export const ERROR_STATUS = {
  invalid_parameter: 400,
  invalid_json: 400,
  invalid_filter: 400,
  invalid_subscription: 400,
  invalid_submission: 400,
  invalid_webhook: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  revoked_api_key: 401,
  expired_api_key: 401,
  insufficient_scope: 403,
  account_suspended: 403,
  endorser_not_allowed: 403,
  not_found: 404,
  subscription_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  cursor_expired: 410,
  body_too_large: 413,
  rate_limit_exceeded: 429,
  daily_limit_exceeded: 429,
  too_many_streams: 429,
  too_many_requests_in_flight: 429,
  internal_error: 500,
  not_available: 503,
  warming_up: 503,
  server_busy: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The body of every answer of status 400 and above (specification, "Errors"). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; request_id: string };
}
