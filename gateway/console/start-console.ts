import type { Context, Middleware } from 'koa';
import { CatalogueFileWork } from '../../administration/catalogue/file-work.ts';
import { hashToken } from '../../schemas/console-token.ts';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { findSession } from '../../store/access/console-sessions.ts';
import { publicationsKeptMs } from '../../store/access/publications.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { forgetOldCatalogueFiles } from '../../store/console/catalogue-files.ts';
import { forgetExpired } from '../../store/console/sessions.ts';
import { forgetOldUploads } from '../../store/console/uploads.ts';
import type { Access } from '../auth/access.ts';
import { callerOf, requireUsableSession } from '../auth/sessions.ts';
import type { Caller } from '../http/caller.ts';
import type { Endpoint } from '../http/route.ts';
import type { ConsoleBudget } from '../limits/console-budget.ts';
import { FairQueue } from '../limits/fair-queue.ts';
import { ApiCalls } from './api-calls.ts';
import type { ConsoleConfig } from './config.ts';
import { createConsole } from './console.ts';
import type { ConsoleContext } from './context.ts';
import { readSessionToken } from './session/cookie.ts';
import { OpenIdProvider } from './session/openid-provider.ts';
import { MatchCounts } from './subscriptions/match-counts.ts';

const MAX_CONNECTIONS = 3;
const TURNS = { atOnce: 6, atOnceOfAccount: 2, reserved: 3, waiting: 1000, waitingOfAccount: 100 };
const UPLOADS = { atOnce: 3, atOnceOfAccount: 1, reserved: 0, waiting: 20, waitingOfAccount: 2 };
const RECEIVERS = { atOnce: 12, atOnceOfAccount: 2, reserved: 6, waiting: 100, waitingOfAccount: 5 };
const TIDY_MS = 10 * 60_000;

/** The console of a gateway. */
export interface Console extends Stoppable {
  middleware: Middleware;
  /**
   * Makes a caller of the API for a page request, within the limits of the console.
   *
   * @throws ApiError missing_api_key, account_suspended, rate_limit_exceeded
   */
  findCaller(ctx: Context): Promise<Caller>;
}

/** Starts the console. It connects to the database at its first use. */
export function startConsole(
  config: ConsoleConfig & { retentionMs: number },
  parts: {
    endpoints: readonly Endpoint[];
    access: Access;
    budget: ConsoleBudget;
    findFirstUpcoming: ConsoleContext['findFirstUpcoming'];
    clock: Clock;
    log: Logger;
  },
): Console {
  const { endpoints, access, budget, findFirstUpcoming, clock, log } = parts;
  const pool = createWorkPool(config.databaseUrl, MAX_CONNECTIONS, (error) => {
    log.warn({ error }, 'a connection of the console to Postgres was lost');
  });
  const { brokers, topicPrefix, publicUrl, provider } = config;
  const api = new ApiCalls(endpoints, { ...access, clock });
  const matchCounts = new MatchCounts({ pool, clock });
  const catalogueFiles = new CatalogueFileWork(config.databaseUrl, log);
  const tidy = async () => {
    await forgetExpired(pool);
    await forgetOldUploads(pool);
    await forgetOldCatalogueFiles(pool);
  };
  const tidying = repeat(TIDY_MS, clock, () =>
    tidy().catch((error: unknown) => {
      const message = 'expired sessions and old uploads cannot be deleted; trying again later';
      reportFailure(log, error, { where: 'console', message });
    }),
  );
  return {
    middleware: createConsole({
      context: {
        pool,
        api,
        matchCounts,
        catalogueFiles,
        brokers,
        topicPrefix,
        hasProvider: provider !== null,
        findFirstUpcoming,
        clock,
        publicationsKeptMs: publicationsKeptMs(config.retentionMs),
        log,
      },
      publicUrl,
      provider: provider && new OpenIdProvider(provider, clock),
      sessionPool: access.pool,
      budget,
      turns: new FairQueue(TURNS),
      uploads: new FairQueue(UPLOADS),
      receivers: new FairQueue(RECEIVERS),
    }),
    async findCaller(ctx) {
      const token = readSessionToken(ctx);
      const session = token === null ? null : await findSession(access.pool, hashToken(token));
      const usable = requireUsableSession(session, clock.now());
      budget.require(usable);
      return callerOf(usable);
    },
    async stop() {
      await tidying.stop();
      await catalogueFiles.stop();
      await pool.end();
    },
  };
}
