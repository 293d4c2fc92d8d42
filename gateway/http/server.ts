import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { answerMalformed } from './malformed-request.ts';
import { boundPipelining } from './pipelining.ts';

/** Longer than the usual idle timeout of proxies, so that the proxy closes an idle connection first. */
const KEEP_ALIVE_MS = 75_000;
/** The time after which a silent connection is closed. Longer than the longest poll; streams turn it off. */
const SILENCE_MS = 120_000;
/** The limit of the request line and headers together, in bytes. */
const MAX_HEADER_SIZE = 16 * 1024;
/** The longest delay before a client that exceeds a timeout is disconnected, in milliseconds. */
const LATENESS_MS = 1000;
/** How long the last answers may take after all streams have ended, in milliseconds. */
const LAST_ANSWERS_MS = 5000;

/** How long a client may take to send the headers of a request, and the whole request, in milliseconds. */
interface Timeouts {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
}

/** Creates an HTTP server that disconnects slow clients and limits the size of headers. */
export function createHttpServer(
  listener: RequestListener,
  { headersTimeoutMs, requestTimeoutMs }: Timeouts,
): Server {
  const bounded = boundPipelining(listener);
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_SIZE,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(LATENESS_MS, headersTimeoutMs),
      // Node's own refusal lacks the error body, so the application refuses such requests instead.
      requireHostHeader: false,
    },
    bounded,
  );
  server.setTimeout(SILENCE_MS);
  // An unknown Expect header is ignored.
  server.on('checkExpectation', bounded);
  server.on('clientError', answerMalformed);
  return server;
}

/** Stops accepting connections, waits until the streams have ended, and gives the last answers some time. */
export async function closeHttpServer(server: Server, drained: Promise<void>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await drained;
  const deadline = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearTimeout(deadline);
}
