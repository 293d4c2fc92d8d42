import type { Context, Middleware } from 'koa';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { READ_METHODS, requireMethod } from '../http/methods.ts';
import { type RequestSender, senderOf } from '../usage/usage-counter.ts';
import type { Access } from './access.ts';

export interface AdmissionOptions
  extends Pick<Access, 'authenticator' | 'keyUsage' | 'requestLimiter' | 'concurrencyLimiter'> {
  /**
   * Finds the caller of a request by its session cookie, within the limits of the console. Absent in a gateway
   * without a console.
   *
   * @throws ApiError missing_api_key, account_suspended, rate_limit_exceeded
   */
  findSessionCaller?: ((ctx: Context) => Promise<Caller>) | undefined;
}

/**
 * Admits requests below `/v1` that have a usable API key, within the limits of the account's plan, or a session and
 * come from a page of the console, which has limits of its own (INV-15). Paths that do not exist are checked too.
 * Every answer to a known key carries the rate limit headers, even if the key cannot be used.
 */
export function createAdmission({
  authenticator,
  keyUsage,
  requestLimiter,
  concurrencyLimiter,
  findSessionCaller,
}: AdmissionOptions): Middleware {
  const setHeaders = (ctx: Context, headers: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
  };
  const findKeyCaller = async (ctx: Context): Promise<Caller> => {
    const key = await authenticator.authenticate(ctx.get('Authorization'), (refused) => {
      ctx.state.sender = { accountId: refused.accountId, keyId: refused.id } satisfies RequestSender;
      setHeaders(ctx, requestLimiter.describe(refused));
    });
    keyUsage.note(key.id);
    return { ...key, credential: { key: key.id } };
  };
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/v1/') && ctx.path !== '/v1') return next();
    const isOfConsole = ctx.state.bySession && findSessionCaller;
    if (isOfConsole) requireOwnPage(ctx);
    const caller = await (isOfConsole ? findSessionCaller(ctx) : findKeyCaller(ctx));
    ctx.state.caller = caller;
    ctx.state.sender = senderOf(caller);
    ctx.state.account = caller.account;
    if (isOfConsole) return next();
    ctx.state.confirmKey = () => authenticator.authenticate(ctx.get('Authorization'));
    const { headers, refusal, giveBack } = await requestLimiter.admit(caller);
    setHeaders(ctx, headers);
    if (refusal) throw refusal;
    await concurrencyLimiter.run(caller, next).catch((error: unknown) => {
      // A client that obeys Retry-After must not use up its day by waiting for a stream.
      if (error instanceof ApiError && error.code === 'too_many_streams') setHeaders(ctx, giveBack());
      throw error;
    });
  };
}

/** Sessions may only read, and only from the console's pages: browsers send cookies from other sites too. */
function requireOwnPage(ctx: Context): void {
  requireMethod(ctx, READ_METHODS);
  const site = ctx.get('Sec-Fetch-Site');
  if (site === '' || site === 'same-origin') return;
  throw new ApiError('missing_api_key', 'Only pages of the console can use its session; send an API key.');
}
