import type { Middleware } from 'koa';

/**
 * Answers are data: browsers should not run them, frame them, guess their type or share them with other
 * sites. CORS headers are missing on purpose: an API key is a server's secret and must not be used in a page.
 * The proxy that terminates TLS sets Strict-Transport-Security.
 */
export const SECURITY_HEADERS = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

/** Sets the security headers of every answer. The reference at /docs is a page and sets its own policy. */
export const securityHeaders: Middleware = async (ctx, next) => {
  for (const [name, value] of SECURITY_HEADERS) ctx.res.setHeader(name, value);
  await next();
};
