import { ERROR_STATUS, type ErrorCode } from '../../schemas/errors.ts';

/** The header of every answer 401 (RFC 9110, 11.6.1). */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** An error that the client receives. The message names the problem, the value and the remedy. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = this.status === 401 ? { ...CHALLENGE, ...headers } : headers;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The message for requests that a stopping gateway refuses. */
export const SHUTTING_DOWN = 'This gateway is shutting down.';

/** Creates the error for a request that cannot be answered now but soon. */
export function createUnavailableError(
  code: 'warming_up' | 'server_busy' | 'not_available',
  message: string,
  retryAfterSeconds = 2,
): ApiError {
  return new ApiError(code, message, { 'Retry-After': String(retryAfterSeconds) });
}
