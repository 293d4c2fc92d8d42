import { createInnerError, UnexpectedAnswerError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { QueryValues } from '../http/query.ts';
import { Patience } from '../http/retries.ts';
import { type Frame, SseParser } from './sse-parser.ts';
import { queryOfStart, type Start, type Step, stepsAfter } from './step.ts';

/** The service sends a ping at least every 20 seconds. */
const SILENCE_MS = 45_000;
/** The wait until the service names another one, in milliseconds. */
const FIRST_RETRY_MS = 1000;
const PATH = '/v1/stream';
/** A connection that has lasted this long has worked, even without an event. */
const WORKING_MS = 10_000;

export interface StreamSettings {
  filter: QueryValues;
  signal: AbortSignal;
  /** The longest silence of a connection, in milliseconds; 45,000 by default. */
  silenceMs?: number | undefined;
}

/** The frames of a piece of a stream. */
interface Piece {
  steps: Step[];
  /** Whether the service has ended the connection. */
  isLast: boolean;
  /** The delay before the next connection that the service asks for, in milliseconds; null if it names none. */
  retryMs: number | null;
  /** The error with which the service ends the connection. */
  error: unknown;
}

/**
 * Follows `/v1/stream` as the service's docs/streaming.md tells clients: through cuts, restarts, silent connections,
 * limits, and connections that the service ends. Only a permanent error ends it.
 *
 * @throws CursorExpiredError, ApiError for a refusal such as 400, 401, 403 and 404, or the signal's reason
 */
export async function* readStream(
  connection: Connection,
  start: Start,
  { filter, signal, silenceMs = SILENCE_MS }: StreamSettings,
): AsyncGenerator<readonly Step[], void> {
  const patience = new Patience({ connection, path: PATH, signal, retryMs: FIRST_RETRY_MS });
  const { timeoutMs } = connection;
  let { cursor } = start;
  for (;;) {
    try {
      // As a header, because addresses end up in logs.
      const headers: Record<string, string> = cursor === null ? {} : { 'Last-Event-ID': cursor };
      const place = cursor === null ? queryOfStart(start) : {};
      const request = { path: PATH, query: { ...filter, ...place }, headers, accept: 'text/event-stream' };
      const openedAt = Date.now();
      for await (const piece of connection.open(request, { signal, timeoutMs, silenceMs }, readPieces)) {
        if (piece.retryMs !== null) patience.retryMs = piece.retryMs;
        if (piece.steps.length > 0) patience.recognize();
        const steps = stepsAfter(cursor, piece.steps);
        // Every connection begins with an id, so ids alone are not progress.
        if (steps.some(({ event }) => event) || Date.now() - openedAt > WORKING_MS) patience.succeed();
        cursor = steps.at(-1)?.cursor ?? cursor;
        if (steps.length > 0) yield steps;
        if (piece.error !== null) throw piece.error;
        if (piece.isLast) break;
      }
      await patience.pause();
    } catch (error) {
      await patience.bear(error);
    }
  }
}

async function* readPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Piece, void> {
  const parser = new SseParser();
  for await (const bytes of pieces) yield readFrames(parser.push(bytes));
}

function readFrames(frames: readonly Frame[]): Piece {
  const piece: Piece = { steps: [], isLast: false, retryMs: null, error: null };
  for (const { event, data, id, retryMs } of frames) {
    if (retryMs !== null) piece.retryMs = retryMs;
    if (event === 'error') return { ...piece, isLast: true, error: createInnerError(parse(data)) };
    if (id !== null) piece.steps.push({ cursor: id, event: event === 'endorsement' ? parse(data) : null });
    if (event !== 'reconnect') continue;
    const { retry_ms } = parse(data);
    return { ...piece, isLast: true, retryMs: typeof retry_ms === 'number' ? retry_ms : piece.retryMs };
  }
  return piece;
}

// biome-ignore lint/suspicious/noExplicitAny: the API's description defines the data of frames.
function parse(data: string): any {
  try {
    return JSON.parse(data);
  } catch {
    throw new UnexpectedAnswerError(`A frame has data that is not JSON: ${data.slice(0, 80)}`);
  }
}
