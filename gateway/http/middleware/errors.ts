import type { Context, Middleware } from 'koa';
import type { ErrorBody } from '../../../schemas/errors.ts';
import type { Logger } from '../../../service/log.ts';
import { sqlStateOf } from '../../../store/connection/sql-state.ts';
import { ApiError, createUnavailableError } from '../api-error.ts';

/** SQLSTATE classes of a server that cannot serve: connection exception, resources, operator intervention. */
const UNAVAILABLE = /^(08|53|57)/;
/** Names of errors of slonik's, which says nothing else when it gets no connection, or no answer in time. */
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

/** The class of data exceptions: a number out of range, a text that is no date or uuid. */
const DATA_EXCEPTION = /^22/;

function toApiError(error: unknown, log: Logger, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (DATA_EXCEPTION.test(sqlStateOf(error) ?? '')) {
    // Parameters are checked before, so this is a forged cursor, whose parts mean something to its list alone.
    log.warn({ error, requestId }, 'the database refuses a value');
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

/** Turns whatever is thrown into an answer. What is no ApiError is a defect or an outage: its text stays inside. */
export function handleErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendError(ctx, toApiError(error, log, ctx.state.requestId));
    }
  };
}
