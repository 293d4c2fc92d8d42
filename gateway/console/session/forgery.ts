import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { PageError } from '../page-error.ts';

/** The field of every form that carries the session's form token. */
export const CSRF_FIELD = 'csrf';

/**
 * The token of a session's forms: `12.<base64url>`. It begins with the id of the account that the console showed. It is
 * derived from the session's secret, so only pages of the session know it.
 */
export function formTokenOf(sessionToken: string, accountId: number): string {
  const secret = createHmac('sha256', sessionToken).update(`forms ${accountId}`).digest('base64url');
  return `${accountId}.${secret}`;
}

function refuse(): PageError {
  return new PageError(
    403,
    'This form was not sent by a page of this session: open the page again and send it from there.',
  );
}

/** Refuses a request if its headers say that another site caused it. @throws PageError 403 */
export function requireSameSite(ctx: Context, publicUrl: string | null): void {
  const site = ctx.get('Sec-Fetch-Site');
  if (site === 'same-origin') return;
  const origin = ctx.get('Origin');
  if (site === '' && origin === '') return;
  const url = URL.parse(origin);
  const ownHosts = [ctx.host, publicUrl && new URL(publicUrl).host];
  if (url === null || !ownHosts.includes(url.host)) throw refuse();
}

/**
 * @returns the id of the account that the console showed when it made the form
 * @throws PageError 403 if the form does not carry its session's token
 */
export function requireFormToken(form: URLSearchParams, sessionToken: string): number {
  const text = form.get(CSRF_FIELD) ?? '';
  const accountId = Number.parseInt(text, 10);
  const given = Buffer.from(text);
  const expected = Buffer.from(formTokenOf(sessionToken, accountId));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refuse();
  return accountId;
}
