import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ErrorBody } from '../../schemas/errors.ts';
import { SECURITY_HEADERS } from './middleware/security-headers.ts';

/** Answers a request that Node could not parse as HTTP with the usual error body, and closes the connection. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // A client that was too slow or has disconnected gets no answer.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.destroy();
    return;
  }
  const request_id = randomUUID();
  const message =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The request line and headers together must be below 16 KB.'
      : 'The request is not well-formed HTTP/1.1.';
  const body: ErrorBody = { error: { code: 'invalid_parameter', message, request_id } };
  const text = JSON.stringify(body);
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${request_id}`,
      ...SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}
