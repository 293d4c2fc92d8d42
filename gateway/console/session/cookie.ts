import type { Context } from 'koa';
import { isWellFormedToken } from '../../../schemas/console-token.ts';
import { SIGN_IN_MINUTES } from '../../../store/console/sign-ins.ts';

const SESSION = 'bes_session';
/** Longer than any session: the database ends sessions. */
const SESSION_MS = 24 * 60 * 60 * 1000;
const SIGN_IN = 'bes_sign_in';

/** Where and how the browser keeps a secret of the console. Other sites cannot send it, and scripts cannot read it. */
function cookieOptions(isSecure: boolean) {
  return { path: '/console', httpOnly: true, sameSite: 'lax', secure: isSecure, overwrite: true } as const;
}

function readToken(ctx: Context, name: string): string | null {
  const token = ctx.cookies.get(name);
  return token !== undefined && isWellFormedToken(token) ? token : null;
}

function setToken(
  ctx: Context,
  cookie: { name: string; token: string | null; maxAge: number },
  isSecure: boolean,
): void {
  const { name, token, maxAge } = cookie;
  // Koa refuses secure cookies on a connection that it takes for plain, as behind a proxy that is not trusted.
  ctx.cookies.secure = isSecure;
  ctx.cookies.set(name, token, { ...cookieOptions(isSecure), ...(token && { maxAge }) });
}

/** The token of the session that a request claims to have. */
export const readSessionToken = (ctx: Context): string | null => readToken(ctx, SESSION);

export function setSessionToken(ctx: Context, token: string | null, isSecure: boolean): void {
  setToken(ctx, { name: SESSION, token, maxAge: SESSION_MS }, isSecure);
}

/** The token of the sign-in that the browser has begun. */
export const readSignInToken = (ctx: Context): string | null => readToken(ctx, SIGN_IN);

/** The browser sends the token along when the provider sends it back: `lax` lets it follow a link from another site. */
export function setSignInToken(ctx: Context, token: string | null, isSecure: boolean): void {
  setToken(ctx, { name: SIGN_IN, token, maxAge: SIGN_IN_MINUTES * 60_000 }, isSecure);
}
