import type { Middleware } from 'koa';
import { showValue } from '../../schemas/problems.ts';
import { ApiError } from './api-error.ts';

/** Decodes percent-encoded UTF-8; undefined if the text is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Refuses a path or a query that is not percent-encoded UTF-8, before other checks of the request. */
export const requirePercentEncoding: Middleware = (ctx, next) => {
  const parts = { path: ctx.path, query: ctx.querystring };
  for (const [name, text] of Object.entries(parts)) {
    if (decodePercent(text) !== undefined) continue;
    const message = `The ${name} ${showValue(text)} is not percent-encoded UTF-8. A percent sign is written %25.`;
    throw new ApiError('invalid_parameter', message);
  }
  return next();
};
