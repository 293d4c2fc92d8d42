import type { Context, Middleware } from 'koa';
import { ConnectionError, SlonikError, StatementTimeoutError } from 'slonik';
import type { ErrorBody } from '../../schemas/errors.ts';
import type { Logger } from '../../service/log.ts';
import { ApiError, createUnavailableError } from '../api-error.ts';

/** SQLSTATE classes of a server that cannot serve: connection exception, resources, operator intervention. */
const UNAVAILABLE = /^(08|53|57)/;

function isDatabaseAway(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof StatementTimeoutError) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (UNAVAILABLE.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE'].includes(code))
      return true;
  }
  return error instanceof SlonikError && /connection/i.test(error.message);
}

function toApiError(error: unknown, logger: Logger, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (isDatabaseAway(error)) {
    logger.warn({ error, requestId }, 'the database does not answer');
    return createUnavailableError('server_busy', 'The data cannot be read at the moment; try again.');
  }
  logger.error({ error, requestId }, 'a request failed');
  return new ApiError('internal_error', 'The request failed because of a defect of the service.');
}

/** Answers with the error body (specification, "Errors"). */
function sendError(ctx: Context, error: ApiError): void {
  const body: ErrorBody = {
    error: { code: error.code, message: error.message, request_id: ctx.state.requestId },
  };
  ctx.status = error.status;
  ctx.set(error.headers);
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = JSON.stringify(body);
}

/** Turns whatever is thrown into an answer. What is no ApiError is a defect or an outage: its text stays inside. */
export function handleErrors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendError(ctx, toApiError(error, logger, ctx.state.requestId));
    }
  };
}
