import { ERROR_STATUS, type ErrorCode } from '../../schemas/errors.ts';

/** An error that the client receives. The message names the problem, the value and what would be right. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The message for requests that a gateway refuses because it stops. */
export const SHUTTING_DOWN = 'This gateway is shutting down.';

/** Creates the error of a service that cannot answer now but can soon. */
export function createUnavailableError(
  code: 'warming_up' | 'server_busy',
  message: string,
  retryAfterSeconds = 2,
): ApiError {
  return new ApiError(code, message, { 'Retry-After': String(retryAfterSeconds) });
}
