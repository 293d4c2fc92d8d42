import type { Middleware } from 'koa';
import type { StoredKey } from '../../store/access/api-keys.ts';
import type { Caller } from '../usage/usage-counter.ts';
import type { Access } from './access.ts';

export type AdmissionOptions = Pick<
  Access,
  'authenticator' | 'keyUsage' | 'requestLimiter' | 'concurrencyLimiter'
>;

/**
 * Lets a request below `/v1` pass only with a usable API key and within the limits of the account's plan, even if its
 * path does not exist. Every answer to a known key carries the rate limit headers, even if the key cannot be used.
 */
export function createAdmission({
  authenticator,
  keyUsage,
  requestLimiter,
  concurrencyLimiter,
}: AdmissionOptions): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/v1/') && ctx.path !== '/v1') return next();
    const setHeaders = (headers: Readonly<Record<string, string>>) => {
      for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
    };
    const nameCaller = ({ id, accountId }: StoredKey): void => {
      ctx.state.caller = { accountId, keyId: id } satisfies Caller;
    };
    const key = await authenticator.authenticate(ctx.get('Authorization'), (refused) => {
      nameCaller(refused);
      setHeaders(requestLimiter.describe(refused));
    });
    nameCaller(key);
    keyUsage.note(key.id);
    ctx.state.key = key;
    ctx.state.account = key.account;
    const { headers, refusal } = await requestLimiter.admit(key);
    setHeaders(headers);
    if (refusal) throw refusal;
    await concurrencyLimiter.run(key, next);
  };
}
