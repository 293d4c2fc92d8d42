import type { Context, Middleware } from 'koa';
import type { ErrorBody } from '../../../schemas/errors.ts';
import type { Logger } from '../../../service/log.ts';
import { sqlStateOf } from '../../../store/connection/sql-state.ts';
import { ApiError, createUnavailableError } from '../api-error.ts';

/** SQLSTATE classes of an unavailable server: connection exception, insufficient resources, operator intervention. */
const UNAVAILABLE = /^(08|53|57)/;
/** Names of slonik's errors without a connection or an answer in time, which carry no code. */
const UNAVAILABLE_NAMES = new Set(['ConnectionError', 'StatementTimeoutError', 'BackendTerminatedError']);
const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE']);

function isDatabaseAway(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== null && UNAVAILABLE.test(state)) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (UNAVAILABLE_NAMES.has(cause.constructor.name)) return true;
    if ('code' in cause && NETWORK_CODES.has(String(cause.code))) return true;
    if (/connection (terminated|timeout)|timeout.*connect/i.test(cause.message)) return true;
  }
  return false;
}

/** The SQLSTATE class of data exceptions, such as a number out of range or an invalid date or uuid. */
const DATA_EXCEPTION = /^22/;

function toApiError(error: unknown, log: Logger, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (DATA_EXCEPTION.test(sqlStateOf(error) ?? '')) {
    // Parameters were checked before, so the value comes from a forged cursor, which only its list can interpret.
    log.warn({ error, requestId }, 'the database rejects a value');
    return new ApiError(
      'invalid_parameter',
      'A value, most likely the cursor, is not one that this endpoint gave.',
    );
  }
  if (isDatabaseAway(error)) {
    log.warn({ error, requestId }, 'the database does not answer');
    return createUnavailableError('server_busy', 'The data cannot be read at the moment; try again.');
  }
  log.error({ error, requestId }, 'a request failed');
  return new ApiError('internal_error', 'The request failed because of a defect of the service.');
}

/** Answers with the error body (specification, "Errors"). */
function sendError(ctx: Context, error: ApiError): void {
  const body: ErrorBody = {
    error: { code: error.code, message: error.message, request_id: ctx.state.requestId },
  };
  ctx.status = error.status;
  ctx.set(error.headers);
  ctx.remove('ETag');
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = JSON.stringify(body);
}

/** Answers with the error that was thrown. The message of anything but an ApiError stays internal. */
export function handleErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendError(ctx, toApiError(error, log, ctx.state.requestId));
    }
  };
}
