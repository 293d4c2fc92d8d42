import { once, setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { topicNames } from '../schemas/topics.ts';
import type { Clock } from '../service/clock.ts';
import type { Stoppable } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { createReadPool } from '../store/pool.ts';
import { startAccess } from './access.ts';
import { createApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import type { GatewayContext } from './context.ts';
import { Feed } from './feed/feed.ts';
import { answerMalformed } from './malformed-request.ts';

const MAX_CONNECTIONS = 20;
const CONNECTION_TIMEOUT_MS = 3000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Longer than what proxies in front usually wait, so that it is them who end a quiet connection. */
const KEEP_ALIVE_MS = 75_000;

export interface Gateway extends Stoppable {
  /** The port it listens on. */
  port: number;
  isReady(): boolean;
}

/** Starts a gateway: follows the stream and answers HTTP. It is ready when it has caught up with the stream. */
export async function startGateway(
  config: GatewayConfig,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<Gateway> {
  const pool = await createReadPool({
    databaseUrl: config.databaseUrl,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const { brokers, topicPrefix, feedMemoryBytes: memoryBytes, retentionMs } = config;
  const topic = topicNames(topicPrefix).changes;
  const feed = new Feed({ brokers, topic, pool, memoryBytes, retentionMs, clock, logger });
  const access = await startAccess(config, { clock, logger });
  const draining = new AbortController();
  // Every open stream and long poll listens to it.
  setMaxListeners(0, draining.signal);
  const context: GatewayContext = {
    config,
    pool,
    feed,
    access,
    clock,
    logger,
    draining: draining.signal,
  };

  feed.start();
  const server = createApp(context).listen(config.port);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('clientError', answerMalformed);
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    isReady: () => feed.ready && !draining.signal.aborted,
    async stop() {
      draining.abort();
      await closeServer(server, config.drainMs);
      await Promise.all([feed.stop(), access.stop()]);
      await pool.end();
    },
  };
}

/** Accepts nothing new, and gives what is open some time to end. */
async function closeServer(server: Server, drainMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(deadline);
}
