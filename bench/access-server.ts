/**
 * The gateway's application, whole or without a part of its work per request. `bench/access-comparison.ts` starts it,
 * names the part, and receives its port.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Middleware } from 'koa';
import { AnswerBudget } from '../gateway/answers/answer-budget.ts';
import { boundAnswers } from '../gateway/answers/bound-answers.ts';
import { ResponseCache } from '../gateway/answers/response-cache.ts';
import { startAccess } from '../gateway/auth/access.ts';
import { type AdmissionOptions, createAdmission } from '../gateway/auth/admission.ts';
import { createConfig } from '../gateway/config.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { createApp } from '../gateway/http/app.ts';
import { createHttpServer } from '../gateway/http/server.ts';
import { createEndpoint } from '../gateway/routes/define-route.ts';
import { routes } from '../gateway/routes/index.ts';
import { countRequests } from '../gateway/usage/count-requests.ts';
import { systemClock } from '../service/clock.ts';
import { createLog } from '../service/log.ts';
import { createReadPool } from '../store/connection/read-pool.ts';
import { loadDataVersions } from '../store/reads/data-versions.ts';
import { watchData } from '../store/reads/data-watch.ts';

/** Bounds no answer. */
const UNBOUNDED = {
  bytes: Number.POSITIVE_INFINITY,
  bytesOfAccount: Number.POSITIVE_INFINITY,
  smallBytes: 0,
};
/** Admits every request. */
const OPEN_ACCESS = {
  authenticator: { authenticate: async () => ({ id: 0, account: 'bench', scopes: ['data:read'] }) },
  keyUsage: { note() {} },
  requestLimiter: { admit: async () => ({ headers: {}, refusal: null }) },
  concurrencyLimiter: { run: (_key: unknown, work: () => Promise<unknown>) => work() },
} as unknown as AdmissionOptions;

const countNothing: Middleware = (_ctx, next) => next();

/** `open` has no keys, limits and counts; `uncounted` only lacks counts. */
export type Variant = 'whole' | 'open' | 'uncounted';

/** Later messages ask for its processor time so far, in microseconds. */
function tellUsage(): void {
  const { user, system } = process.cpuUsage();
  process.send?.({ usage: user + system });
}

process.once('message', async ({ databaseUrl, variant }: { databaseUrl: string; variant: Variant }) => {
  const config = createConfig({ DATABASE_URL: databaseUrl, KAFKA_BROKERS: 'localhost:9092' });
  const runtime = { clock: systemClock, log: createLog('bench', 'warn') };
  const pool = await createReadPool({
    databaseUrl,
    maxConnections: 20,
    connectionTimeoutMs: 3000,
    statementTimeoutMs: 15_000,
  });
  const source = { pool, data: watchData(pool, loadDataVersions), isReplica: false };
  const context = {
    ...runtime,
    config,
    pool,
    // Every answer is rendered again: the benchmark measures a part of that work, not of a look-up.
    responseCache: new ResponseCache({
      ...runtime,
      maxBytes: 0,
      retentionMs: config.retentionMs,
    }),
    replicas: { read: (work) => work(source) } satisfies GatewayContext['replicas'],
    // The data endpoints use only this part of the context.
  } as unknown as GatewayContext;
  const draining = new AbortController().signal;
  const access = await startAccess(config, runtime);
  const app = createApp({
    ...runtime,
    endpoints: routes.map((route) => createEndpoint(route, context)),
    countRequests: variant === 'whole' ? countRequests(access.usageCounter, systemClock) : countNothing,
    admission: createAdmission(variant === 'open' ? OPEN_ACCESS : access),
    boundAnswers: boundAnswers(new AnswerBudget(UNBOUNDED)),
    readiness: { require: async () => {}, isReady: async () => true, findObstacle: async () => null },
    trustedProxies: 0,
    draining,
  });
  const server: Server = createHttpServer(app.callback(), config);
  process.on('message', tellUsage);
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
