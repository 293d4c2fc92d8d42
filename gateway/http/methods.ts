import type { Context } from 'koa';
import { ApiError } from './api-error.ts';

/** The methods of a read-only resource. */
export const READ_METHODS = ['GET', 'HEAD'];

/** Refuses all other methods. @throws ApiError method_not_allowed, with the header Allow. */
export function requireMethod(ctx: Context, methods: readonly string[]): void {
  if (methods.includes(ctx.method)) return;
  const allowed = methods.join(', ');
  throw new ApiError('method_not_allowed', `${ctx.path} takes ${allowed}, not ${ctx.method}.`, {
    Allow: allowed,
  });
}
