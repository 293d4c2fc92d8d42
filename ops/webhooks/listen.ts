import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { showControls } from '../../schemas/show-controls.ts';
import { signMessage } from '../../schemas/webhook-signature.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { openSecretFile } from '../../service/secret.ts';
import type { CommandIo } from '../command.ts';

/** The most bytes of a message. Events of 256 KiB and their frame are far below. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Whether one of the signatures of a message was made with the secret. */
function isSigned(headers: Readonly<Record<string, unknown>>, body: Buffer, secret: string): boolean {
  const message = {
    id: String(headers['webhook-id']),
    timestamp: Number(headers['webhook-timestamp']),
    body,
  };
  const wanted = Buffer.from(signMessage(message, [secret])['webhook-signature'] ?? '');
  return String(headers['webhook-signature'])
    .split(' ')
    .map((text) => Buffer.from(text))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted));
}

/** Reads a body. @returns null if it is too large */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Accepts deliveries on a port of 127.0.0.1 and prints each, until the operator presses Ctrl-C. With a secret, it refuses
 * those without its signature.
 *
 * @throws OperatorError if the port is taken, or the secret cannot be read
 */
export async function listen(
  io: CommandIo,
  { port, secretFile }: { port: number; secretFile?: string },
): Promise<void> {
  const secret = secretFile === undefined ? null : openSecretFile('--secret-file', secretFile).read();
  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => null);
    if (body === null) {
      response.writeHead(413, { Connection: 'close' }).end();
      return io.err(`A message of more than ${MAX_BODY_BYTES.toLocaleString('en-US')} bytes was refused.`);
    }
    const id = showControls(String(request.headers['webhook-id']));
    if (secret !== null && !isSigned(request.headers, body, secret)) {
      response.writeHead(401).end('The signature is not of the secret.');
      return io.err(`${id} was refused: its signature was not made with the secret.`);
    }
    response.writeHead(204).end();
    io.out(`${id} ${showControls(body.toString())}`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new OperatorError(`Port ${port} is in use: choose another with --port.`, { cause: error });
  });
  const checked =
    secret === null
      ? 'Signatures are not verified; --secret-file verifies them.'
      : 'Signatures are verified.';
  io.err(`Listening at http://127.0.0.1:${port}/. ${checked} Ctrl-C ends it.`);
  const restore = io.onInterrupt(() => {
    restore();
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'close');
}
