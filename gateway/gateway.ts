import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Feed } from '../feed/feed.ts';
import { topicNames } from '../kafka/topic-names.ts';
import { type Clock, monotonicClock } from '../service/clock.ts';
import type { Stoppable } from '../service/lifecycle.ts';
import { untilListening } from '../service/listening.ts';
import type { Logger } from '../service/log.ts';
import { ReferenceClock } from '../service/reference-clock.ts';
import { createReadPool } from '../store/connection/read-pool.ts';
import { startHeartbeat } from '../store/processes/heartbeat.ts';
import { loadDataVersions } from '../store/reads/data-versions.ts';
import { watchData } from '../store/reads/data-watch.ts';
import { loadDatabaseTime } from '../store/reads/stream-points.ts';
import { AnswerBudget } from './answers/answer-budget.ts';
import { boundAnswers } from './answers/bound-answers.ts';
import { CoverageMemory } from './answers/kept-coverage.ts';
import { ResponseCache } from './answers/response-cache.ts';
import { startAccess } from './auth/access.ts';
import { createAdmission } from './auth/admission.ts';
import { BallotMemory } from './ballots/ballot-memory.ts';
import type { GatewayConfig } from './config.ts';
import { startConsole } from './console/start-console.ts';
import type { GatewayContext } from './context.ts';
import { AccessWatch } from './delivery/access-watch.ts';
import { OpenStreams } from './delivery/open-streams.ts';
import { requireReadyFeed } from './delivery/resume.ts';
import { VanishedClients } from './delivery/vanished-clients.ts';
import { Exports, MAX_EXPORTS } from './export/exports.ts';
import { createApp } from './http/app.ts';
import { createReadiness } from './http/health.ts';
import { closeHttpServer, createHttpServer } from './http/server.ts';
import { ConsoleBudget } from './limits/console-budget.ts';
import { FairQueue } from './limits/fair-queue.ts';
import { Publishing } from './publishing/publishing.ts';
import { ReadReplicas } from './replicas/read-replicas.ts';
import { createEndpoint } from './routes/define-route.ts';
import { routes } from './routes/index.ts';
import { upcomingFrom } from './selection/upcoming.ts';
import { countRequests } from './usage/count-requests.ts';
import { warmUp } from './warm-up.ts';
import { readWaiting } from './wire/read-tcp-table.ts';

const MAX_CONNECTIONS = 20;
const CONNECTION_TIMEOUT_MS = 3000;
const STATEMENT_TIMEOUT_MS = 15_000;
const VERSION_TIMEOUT_MS = 3000;
const WARM_UP_MS = 2000;
const MB = 1024 * 1024;
const ANSWERS_IN_FLIGHT = { bytes: 192 * MB, bytesOfAccount: 32 * MB, smallBytes: 64 * 1024 };
/** An account has half of the connections. Its limit of requests at a time bounds how many wait; the plan `internal` has none. */
const READS = {
  atOnce: MAX_CONNECTIONS,
  atOnceOfAccount: MAX_CONNECTIONS / 2,
  reserved: MAX_CONNECTIONS / 4,
  waiting: 20_000,
  waitingOfAccount: 10_000,
};
const LARGE_ANSWERS = { atOnce: 4, atOnceOfAccount: 2, reserved: 2, waiting: 200, waitingOfAccount: 10 };
const DIGESTS = { atOnce: 2, atOnceOfAccount: 1, reserved: 0, waiting: 100, waitingOfAccount: 10 };
/** The budget of answers lets no more bodies wait. */
const BODIES = { atOnce: 1, atOnceOfAccount: 1, reserved: 0, waiting: 1000, waitingOfAccount: 100 };

export interface Gateway extends Stoppable {
  /** The port it listens on. */
  port: number;
  /** Whether it may receive requests (`/readyz`). */
  isReady(): Promise<boolean>;
  /** The changes that it follows. */
  feed: Pick<Feed, 'latest' | 'behindMs'>;
}

export interface GatewayOptions {
  /** By default the database's clock, which all gateways share. */
  clock?: Clock;
  log: Logger;
  /** Called when the stream starts a new history. The owner must then replace this gateway with a new one. */
  onNewEpoch: () => void;
  /** Whether it answers some requests of its own before it listens. */
  warmsUp?: boolean;
}

/**
 * Starts a gateway, which follows the stream and answers HTTP. It is ready when it has caught up.
 *
 * @throws SettingError if its port is taken, and the database's error if the database is unreachable
 */
export async function startGateway(
  config: GatewayConfig,
  { clock: ownClock, log, onNewEpoch, warmsUp = false }: GatewayOptions,
): Promise<Gateway> {
  const connection = {
    databaseUrl: config.databaseUrl,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  };
  const pool = await createReadPool(connection);
  // Version look-ups run one at a time on a connection of their own, so that slow reads do not delay kept answers.
  const versionPool = await createReadPool({
    ...connection,
    maxConnections: 1,
    connectionTimeoutMs: VERSION_TIMEOUT_MS,
    statementTimeoutMs: VERSION_TIMEOUT_MS,
  });
  const exportPool = await createReadPool({ ...connection, maxConnections: MAX_EXPORTS + 1 });
  const databaseClock = new ReferenceClock({ read: () => loadDatabaseTime(pool), log });
  const clock = ownClock ?? databaseClock;
  databaseClock.start();
  const responseCache = new ResponseCache({
    maxBytes: config.responseMemoryBytes,
    retentionMs: config.retentionMs,
    clock,
  });
  const data = watchData(versionPool, loadDataVersions);
  const replicas = new ReadReplicas({
    ...connection,
    readDatabaseUrls: config.readDatabaseUrls ?? [],
    primary: { pool, data, isReplica: false },
    versionTimeoutMs: VERSION_TIMEOUT_MS,
    log,
  });
  const feed = new Feed({
    brokers: config.brokers,
    topic: topicNames(config.topicPrefix).changes,
    pool,
    memoryBytes: config.feedMemoryBytes,
    replayBytes: config.feedReplayBytes,
    retentionMs: config.retentionMs,
    onNewEpoch,
    clock,
    log,
  });
  const access = await startAccess(config, { clock, log });
  const accessWatch = new AccessWatch({ ...access, clock, log });
  const openStreams = new OpenStreams({ accessWatch, clock });
  const vanishedClients = new VanishedClients({ clock: monotonicClock, readWaiting });
  const publishing = new Publishing(config, { clock, log });
  const draining = new AbortController();
  // Every long poll listens to this signal.
  setMaxListeners(0, draining.signal);
  const context: GatewayContext = {
    config,
    pool,
    loadState: () => data.next(),
    isReplica: false,
    replicas,
    feed,
    streamLeases: access.streamLeases,
    accessWatch,
    openStreams,
    vanishedClients,
    responseCache,
    ballots: new BallotMemory(config.ballotMemoryBytes),
    coverage: new CoverageMemory(),
    reads: new FairQueue(READS),
    largeAnswers: new FairQueue(LARGE_ANSWERS),
    digests: new FairQueue(DIGESTS),
    bodies: new FairQueue(BODIES),
    exports: new Exports({ pool: exportPool, clock, log, draining: draining.signal }),
    publishing,
    clock,
    log,
    draining: draining.signal,
  };
  const readiness = createReadiness({
    requireStream: () => requireReadyFeed(feed),
    isStoreReachable: access.isStoreReachable,
    draining: draining.signal,
    clock,
    log,
  });
  const endpoints = routes.map((route) => createEndpoint(route, context));
  const answers = new AnswerBudget(ANSWERS_IN_FLIGHT);
  const console = config.hasConsole
    ? startConsole(config, {
        endpoints,
        access,
        budget: new ConsoleBudget(clock, answers),
        findFirstUpcoming: () => upcomingFrom(clock, config.today),
        clock,
        log,
      })
    : null;
  const app = createApp({
    endpoints,
    countRequests: countRequests(access.usageCounter, clock),
    admission: createAdmission({ ...access, findSessionCaller: console?.findCaller }),
    boundAnswers: boundAnswers(answers),
    console: console?.middleware,
    readiness,
    trustedProxies: config.trustedProxies,
    draining: draining.signal,
    log,
  });

  if (warmsUp) await warmUp(endpoints, WARM_UP_MS);
  // The feed vouches for times, so it must not start with a wrong local clock.
  if (ownClock) feed.start();
  else databaseClock.synchronized.then(() => feed.start());
  accessWatch.start();
  vanishedClients.start();
  const server = createHttpServer(app.callback(), config);
  server.listen(config.port, config.host ?? undefined);
  await untilListening(server, 'PORT', config.port);
  const { port } = server.address() as AddressInfo;
  const heartbeat = startHeartbeat({
    databaseUrl: config.databaseUrl,
    describe: async () => ({
      program: 'gateway',
      obstacle: await readiness.findObstacle(),
      details: {
        ...{ port, openStreams: openStreams.count, behindMs: Math.round(feed.behindMs) },
        unlimitedStreams: access.streamLeases.countUnlimited(),
        hasProvider: config.hasConsole && config.provider !== null,
        hasWebhooks: config.webhooks !== null,
      },
    }),
    log,
  });

  return {
    port,
    isReady: readiness.isReady,
    feed,
    async stop() {
      draining.abort();
      await closeHttpServer(server, openStreams.drain(config.drainMs));
      await Promise.all(
        [heartbeat, feed, accessWatch, vanishedClients, databaseClock].map((part) => part.stop()),
      );
      await console?.stop();
      await publishing.stop();
      await access.stop();
      await replicas.stop();
      await Promise.all([pool.end(), versionPool.end(), exportPool.end()]);
    },
  };
}
