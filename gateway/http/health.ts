import type { Middleware } from 'koa';
import { type Clock, timeSince } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { ApiError, createUnavailableError, SHUTTING_DOWN } from './api-error.ts';
import { READ_METHODS, requireMethod } from './methods.ts';

/** How long the result of one database check is reused, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;

export interface HealthOptions {
  /** Throws the ApiError for readers of the stream if they cannot begin now. */
  requireStream(): void;
  isStoreReachable(): Promise<boolean>;
  /** Aborts when the gateway begins to shut down. */
  draining: AbortSignal;
  clock: Clock;
  log: Logger;
}

/** Whether a gateway may receive requests, for `/readyz` and the monitoring port. */
export interface Readiness {
  /** @throws ApiError warming_up or server_busy if the gateway may not. */
  require(): Promise<void>;
  isReady(): Promise<boolean>;
  /** The reason against it, as a sentence; null if the gateway may receive requests. */
  findObstacle(): Promise<string | null>;
}

/**
 * Creates the check: readers of the stream can begin, the gateway reaches the database, and it is not
 * shutting down. A gateway that has fallen behind Kafka stays ready, because it still answers reads; the
 * metric `feed_behind_seconds` reports the lag.
 */
export function createReadiness({
  requireStream,
  isStoreReachable,
  draining,
  clock,
  log,
}: HealthOptions): Readiness {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking = false;
  let reachable = Promise.resolve(false);
  const check = async () => {
    checking = true;
    try {
      return await isStoreReachable();
    } catch (error) {
      reportFailure(log, error, { where: 'monitoring', message: 'the database could not be checked' });
      return false;
    } finally {
      checking = false;
    }
  };
  const requireReady = async () => {
    if (draining.aborted) throw createUnavailableError('server_busy', SHUTTING_DOWN);
    requireStream();
    if (!checking && timeSince(clock, checkedAt) >= CHECK_INTERVAL_MS) {
      checkedAt = clock.now();
      reachable = check();
    }
    if (!(await reachable)) throw createUnavailableError('server_busy', 'The database does not answer.');
  };
  const findObstacle = () =>
    requireReady().then(
      () => null,
      (error: unknown) => {
        if (error instanceof ApiError) return error.message;
        throw error;
      },
    );
  return { require: requireReady, isReady: async () => (await findObstacle()) === null, findObstacle };
}

/**
 * Answers `/healthz` (200 while the process is alive) and `/readyz` (200 if it may receive requests,
 * otherwise 503). Neither needs an API key.
 *
 * @throws ApiError warming_up, server_busy or method_not_allowed.
 */
export function answerHealth(readiness: Readiness): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next();
    requireMethod(ctx, READ_METHODS);
    if (ctx.path === '/readyz') await readiness.require();
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: ctx.path === '/readyz' ? 'ready' : 'alive' };
  };
}
