import type { Middleware } from 'koa';
import { Histogram } from 'prom-client';
import type { Logger } from '../../../service/log.ts';
import { withoutSecrets } from '../../../service/without-secrets.ts';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'The duration of requests; for streams, the time until the answer began.',
  labelNames: ['route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
});

/** Logs and measures every request, without headers, queries and secrets in paths. */
export function logAccess(log: Logger): Middleware {
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const ms = performance.now() - start;
    const { requestId, account, route } = ctx.state;
    duration.observe({ route: route ?? 'none', status: String(ctx.status) }, ms / 1000);
    // Probes arrive every second. They matter only when they fail.
    const level =
      ctx.status === 200 && (ctx.path === '/readyz' || ctx.path === '/healthz') ? 'debug' : 'info';
    log[level](
      {
        requestId,
        account,
        client: ctx.ip,
        method: ctx.method,
        path: withoutSecrets(ctx.path),
        status: ctx.status,
        ms: Math.round(ms * 10) / 10,
      },
      'request',
    );
  };
}
