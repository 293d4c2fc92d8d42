import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { findUndescribed } from './response-schema.ts';

/** Larger bodies are not checked, to keep tests of large answers fast. */
const MAX_BODY_BYTES = 64 * 1024;
/** The number of checked bodies for each path and status. Statuses and headers of every answer are checked. */
const BODIES = 20;

const UNPACK: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

interface RequestStart {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Keeps a copy of a body while it is written. Returns a function that reads the copy; null if it is not checked. */
function copyBody(response: ServerResponse): () => string | null {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const keep = (piece: unknown) => {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) return;
    bytes += piece.length;
    if (bytes <= MAX_BODY_BYTES) pieces.push(Buffer.from(piece as string));
  };
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...args: unknown[]) => never;
    response[name] = (...args: unknown[]) => {
      keep(args[0]);
      return send(...args);
    };
  }
  return () => {
    if (bytes === 0 || bytes > MAX_BODY_BYTES) return null;
    const unpack = UNPACK[String(response.getHeader('Content-Encoding') ?? 'identity')];
    return unpack?.(Buffer.concat(pieces)).toString() ?? null;
  };
}

/**
 * Compares every answer of servers in this process with /openapi.json.
 *
 * @param isWatched whether the server on this port is checked
 */
export function watchAnswers(isWatched: (port: number) => boolean): {
  /** The differences so far, without repetitions. */
  readonly faults: readonly string[];
  stop(): void;
} {
  const faults = new Set<string>();
  const counts = new Map<string, number>();

  const compare = ({ request, response }: RequestStart, path: string, read: () => string | null) => {
    const status = response.statusCode;
    const headers = new Map(
      Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
    );
    const kind = `${request.method} ${path} ${status}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const head = { method: request.method ?? '', path, status, headers };
    const fault = findUndescribed(head, count <= BODIES ? read() : null);
    if (fault) faults.add(fault);
  };
  const start = (message: unknown) => {
    const started = message as RequestStart;
    if (!isWatched(started.request.socket.localPort ?? 0)) return;
    // The gateway rewrites the address of the console's requests.
    const path = (started.request.url ?? '').split('?')[0] ?? '';
    const read = copyBody(started.response);
    started.response.once('finish', () => compare(started, path, read));
  };

  diagnostics.subscribe('http.server.request.start', start);
  return {
    get faults() {
      return [...faults];
    },
    stop: () => void diagnostics.unsubscribe('http.server.request.start', start),
  };
}
