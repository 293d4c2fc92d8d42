import type { Context, Middleware } from 'koa';
import type { ErrorBody } from '../../../schemas/errors.ts';
import { stringifyJson } from '../../../schemas/json-text.ts';
import type { Logger } from '../../../service/log.ts';
import { reportFailure } from '../../../service/report-failure.ts';
import { sqlStateOf } from '../../../store/connection/sql-state.ts';
import { ApiError, createUnavailableError } from '../api-error.ts';

/** The SQLSTATE class of data exceptions, such as a number out of range or an invalid date or uuid. */
const DATA_EXCEPTION = /^22/;

/** Whether the database rejects a value. It comes from the client: the service's own values are valid. */
export const isRejectedValue = (error: unknown): boolean => DATA_EXCEPTION.test(sqlStateOf(error) ?? '');

/** The error for the client. Other errors than ApiError are reported, and their messages stay internal. */
export function toApiError(error: unknown, log: Logger, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (isRejectedValue(error)) {
    // Parameters were checked. So the value comes from a forged cursor, which only its list interprets.
    log.warn({ error, requestId }, 'the database rejects a value');
    return new ApiError(
      'invalid_parameter',
      'A value, most likely the cursor, does not come from this endpoint.',
    );
  }
  const message = 'a request failed';
  switch (reportFailure(log, error, { where: 'request', message, fields: { requestId } })) {
    case 'defect':
      return new ApiError('internal_error', 'The request failed because of a defect of the service.');
    case 'kafka_away':
      return createUnavailableError('server_busy', 'The stream cannot be read at the moment; try again.');
    default:
      return createUnavailableError('server_busy', 'The data cannot be read at the moment; try again.');
  }
}

/** Answers with the error body (specification, "Errors"). */
function sendError(ctx: Context, error: ApiError): void {
  const body: ErrorBody = {
    error: { code: error.code, message: error.message, request_id: ctx.state.requestId },
  };
  ctx.state.error = error;
  ctx.status = error.status;
  ctx.set(error.headers);
  ctx.remove('ETag');
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = stringifyJson(body);
}

/** Answers with the thrown error. */
export function handleErrors(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      sendError(ctx, toApiError(error, log, ctx.state.requestId));
    }
  };
}
