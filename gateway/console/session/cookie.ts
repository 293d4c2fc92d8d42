import type { Context } from 'koa';
import { isWellFormedToken } from '../../../schemas/console-token.ts';
import { SIGN_IN_MINUTES } from '../../../store/console/sign-ins.ts';

const SESSION = 'bes_session';
/** Longer than any session, because the database ends sessions. */
const SESSION_MS = 24 * 60 * 60 * 1000;
const SIGN_IN = 'bes_sign_in';
const RETURN = 'bes_return';

/** How the browser keeps a secret of the console. Other sites cannot send it, and scripts cannot read it. */
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
  // Koa refuses secure cookies if the connection seems to be plain HTTP, as it does behind an untrusted proxy.
  ctx.cookies.secure = isSecure;
  ctx.cookies.set(name, token, { ...cookieOptions(isSecure), ...(token && { maxAge }) });
}

/** The session token in a request. */
export const readSessionToken = (ctx: Context): string | null => readToken(ctx, SESSION);

export function setSessionToken(ctx: Context, token: string | null, isSecure: boolean): void {
  setToken(ctx, { name: SESSION, token, maxAge: SESSION_MS }, isSecure);
}

/** Keeps the page to show after signing in with a link, which is opened later; null forgets it. */
export function setReturnAddress(ctx: Context, address: string | null, isSecure: boolean): void {
  const token = address === null ? null : encodeURIComponent(address);
  setToken(ctx, { name: RETURN, token, maxAge: SIGN_IN_MINUTES * 60_000 }, isSecure);
}

/** The page to show after signing in, as the browser has kept it. Anybody could have written it. */
export function readReturnAddress(ctx: Context): string | null {
  try {
    return decodeURIComponent(ctx.cookies.get(RETURN) ?? '') || null;
  } catch {
    return null;
  }
}

/** The token of the browser's current sign-in. */
export const readSignInToken = (ctx: Context): string | null => readToken(ctx, SIGN_IN);

/** `lax` lets the browser send this token after the link from the provider's site. */
export function setSignInToken(ctx: Context, token: string | null, isSecure: boolean): void {
  setToken(ctx, { name: SIGN_IN, token, maxAge: SIGN_IN_MINUTES * 60_000 }, isSecure);
}
