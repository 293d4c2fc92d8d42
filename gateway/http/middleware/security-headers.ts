import type { Middleware } from 'koa';

/**
 * An answer is data, and nothing that a browser should run, frame, guess the type of or give to another site. There are
 * no CORS headers: a key is a secret of a server, and has no place in a page. Strict-Transport-Security belongs to who
 * ends TLS, which is the proxy in front.
 */
const HEADERS = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

/** Tells browsers what not to do with an answer. The reference, which is a page, sets a policy of its own. */
export const securityHeaders: Middleware = async (ctx, next) => {
  for (const [name, value] of HEADERS) ctx.res.setHeader(name, value);
  await next();
};
