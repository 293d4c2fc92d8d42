import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The unanswered requests of a connection at which it is not read any further. */
const PAUSED_AT = 16;
/** The unanswered requests of a connection that end it: more can arrive in the same packet. */
const CLOSED_AT = 64;

/**
 * Handles the requests of a connection one after the other, and bounds how many may wait (INV-15). HTTP/1.1 lets a
 * client send requests without waiting for answers, which must be sent in order anyway.
 */
export function boundPipelining(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    response.once('close', () => {
      const queue = waiting.get(socket) ?? [];
      const next = socket.destroyed ? undefined : queue.shift();
      if (next === undefined) waiting.delete(socket);
      else handle(...next);
      if (queue.length + 1 === PAUSED_AT - 1) socket.resume();
    });
    listener(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const queue = waiting.get(socket);
    if (queue === undefined) {
      waiting.set(socket, []);
      handle(request, response);
    } else if (queue.length + 1 >= CLOSED_AT) socket.destroy();
    else {
      queue.push([request, response]);
      // Node resumes the connection after parsing a request, so it can be paused only after that.
      if (queue.length + 1 === PAUSED_AT) setImmediate(() => queue.length + 1 >= PAUSED_AT && socket.pause());
    }
  };
}
