import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { collectDefaultMetrics, Gauge, register } from 'prom-client';
import { untilListening } from './listening.ts';
import type { Logger } from './log.ts';
import { reportFailure } from './report-failure.ts';

/**
 * Serves `/metrics` (Prometheus text), `/healthz` and `/readyz` on a separate port. The metrics include the
 * process's memory, processor time, garbage collection, event loop delay and readiness.
 *
 * @param options.port 0 picks a free port
 * @param options.host the address to listen on; null for all of this machine
 * @param options.isReady whether the process can do its work now
 * @throws SettingError if the port is taken: an unmonitored process must not run
 */
export async function startMonitoring({
  port,
  host = null,
  isReady,
  log,
}: {
  port: number;
  host?: string | null | undefined;
  isReady: () => boolean | Promise<boolean>;
  log: Logger;
}): Promise<Server> {
  collectDefaultMetrics();
  // Gauges with names of counters; other metrics have the same numbers by kind.
  for (const each of ['handles', 'requests', 'resources']) {
    register.removeSingleMetric(`nodejs_active_${each}_total`);
  }
  const checkReady = async () => {
    try {
      return await isReady();
    } catch (error) {
      reportFailure(log, error, { where: 'monitoring', message: 'readiness could not be checked' });
      return false;
    }
  };
  new Gauge({
    name: 'program_ready',
    help: '1 while the process can do its work, as /readyz says, 0 while it cannot.',
    async collect() {
      this.set((await checkReady()) ? 1 : 0);
    },
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body);
    switch (request.url) {
      case '/metrics':
        return send(200, await register.metrics(), register.contentType);
      case '/healthz':
        return send(200, 'ok\n');
      case '/readyz':
        return (await checkReady()) ? send(200, 'ready\n') : send(503, 'not ready\n');
      default:
        return send(404, 'Not found. Available: /metrics, /healthz, /readyz\n');
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      reportFailure(log, error, { where: 'monitoring', message: 'the monitoring port could not answer' });
      response.destroy();
    });
  });
  // Processes that share the API's port do not share this one.
  server.listen({ port, ...(host !== null && { host }), exclusive: true });
  await untilListening(server, 'METRICS_PORT', port);
  server.on('error', (error) => log.error({ error }, 'the monitoring port failed'));
  return server;
}
