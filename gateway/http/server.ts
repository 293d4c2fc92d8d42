import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { answerMalformed } from './malformed-request.ts';

/** Longer than what proxies in front usually wait, so that it is them who end a quiet connection. */
const KEEP_ALIVE_MS = 75_000;
/** A connection on which nothing moves in either direction is ended: beyond the longest poll. Streams set their own. */
const SILENCE_MS = 120_000;
/** The request line and headers together, in bytes. */
const MAX_HEADER_SIZE = 16 * 1024;
/** How much later than its time a client that is too slow is cut off at most, in milliseconds. */
const LATENESS_MS = 1000;
/** How long the last answers may take once all streams were sent away, in milliseconds. */
const LAST_ANSWERS_MS = 5000;

/** How long a client may take to send the headers of a request, and all of it, in milliseconds. */
interface Timeouts {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
}

/** An HTTP server that cuts off who is too slow to ask, and bounds what is asked with. */
export function createHttpServer(
  listener: RequestListener,
  { headersTimeoutMs, requestTimeoutMs }: Timeouts,
): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_SIZE,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(LATENESS_MS, headersTimeoutMs),
      // Node refuses it without the error body that every refusal has: the application does.
      requireHostHeader: false,
    },
    listener,
  );
  server.setTimeout(SILENCE_MS);
  // Whatever else a client expects, it gets the answer.
  server.on('checkExpectation', listener);
  server.on('clientError', answerMalformed);
  return server;
}

/** Accepts nothing new, lets streams be sent away, and gives the last answers some time to end. */
export async function closeHttpServer(server: Server, drained: Promise<void>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await drained;
  const deadline = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearTimeout(deadline);
}
