import type { Middleware } from 'koa';

/**
 * An answer is data: browsers should not run it, frame it, guess its type or share it with other sites. There are no CORS
 * headers, because an API key is a server's secret and must not be used in a page. Strict-Transport-Security belongs to
 * the proxy that terminates TLS.
 */
const HEADERS = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

/** Sets the security headers of every answer. The reference at /docs is a page and sets a policy of its own. */
export const securityHeaders: Middleware = async (ctx, next) => {
  for (const [name, value] of HEADERS) ctx.res.setHeader(name, value);
  await next();
};
