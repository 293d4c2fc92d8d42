import type { Context } from 'koa';
import { ApiError } from './api-error.ts';

/** What a page that is only read takes. */
export const READ_METHODS = ['GET', 'HEAD'];

/**
 * Lets only these methods pass.
 *
 * @throws ApiError method_not_allowed, with Allow.
 */
export function requireMethod(ctx: Context, methods: readonly string[]): void {
  if (methods.includes(ctx.method)) return;
  const allowed = methods.join(', ');
  throw new ApiError('method_not_allowed', `${ctx.path} takes ${allowed}, not ${ctx.method}.`, {
    Allow: allowed,
  });
}
