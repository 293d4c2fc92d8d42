import type { IncomingMessage } from 'node:http';
import inflate from 'inflation';
import getRawBody from 'raw-body';

/**
 * Reads the body of a request, unpacked.
 *
 * @param limit the most bytes that are taken, such as `384kb`
 * @throws Error with a `status`: 413 if the body is larger, 415 if its encoding is unknown
 */
export async function readBody(request: IncomingMessage, limit: string): Promise<Buffer> {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = request.headers;
  return getRawBody(inflate(request), { limit, length: encoding === 'identity' ? (length ?? null) : null });
}
