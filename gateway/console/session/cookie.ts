import type { Context } from 'koa';
import { isWellFormedToken } from '../../../schemas/console-token.ts';

const NAME = 'bes_session';
/** Longer than any session: the database ends sessions. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** Where and how the browser keeps a secret of the console. Other sites cannot send it, and scripts cannot read it. */
export function cookieOptions(isSecure: boolean) {
  return { path: '/console', httpOnly: true, sameSite: 'lax', secure: isSecure, overwrite: true } as const;
}

/** The token of the session that a request claims to have. */
export function readSessionToken(ctx: Context): string | null {
  const token = ctx.cookies.get(NAME);
  return token !== undefined && isWellFormedToken(token) ? token : null;
}

export function setSessionToken(ctx: Context, token: string | null, isSecure: boolean): void {
  // Koa refuses secure cookies on a connection that it takes for plain, as behind a proxy that is not trusted.
  ctx.cookies.secure = isSecure;
  ctx.cookies.set(NAME, token, { ...cookieOptions(isSecure), ...(token && { maxAge: MAX_AGE_MS }) });
}
