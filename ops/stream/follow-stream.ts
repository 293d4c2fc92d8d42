/** A client of /v1/stream, as docs/streaming.md describes it: it reconnects with the last seen id. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { OperatorError } from '../../service/operator-error.ts';

/** The wait before another attempt, until the service names one, in milliseconds. */
const DEFAULT_RETRY_MS = 1000;
/** A connection counts as dead after this much silence, in milliseconds. Pings come every 20 seconds. */
const SILENCE_MS = 60_000;

export interface FollowStreamOptions {
  /** The service's address, without a trailing slash. */
  url: string;
  key: string;
  /** The filter and the start. */
  query: Readonly<Record<string, string>>;
  /** Ends the following. */
  signal: AbortSignal;
  /** The longest silence of a connection, in milliseconds. */
  silenceMs?: number;
}

/** A message about a stream. After `lost`, another attempt follows in `waitMs`. */
export type StreamNews =
  | { kind: 'connected' }
  | { kind: 'event'; id: string; data: string }
  | { kind: 'cursor'; id: string }
  | { kind: 'lost'; reason: string; waitMs: number };

/** A connection that ended or failed for a temporary reason. */
class LostConnection extends Error {
  readonly retryMs: number | null;

  constructor(reason: string, retryMs: number | null = null) {
    super(reason);
    this.retryMs = retryMs;
  }
}

/**
 * Follows the stream until the signal aborts.
 *
 * @throws OperatorError if the service refuses the request permanently, or no longer keeps the events after the last
 * one
 */
export async function* followStream(options: FollowStreamOptions): AsyncGenerator<StreamNews, void> {
  const { signal, silenceMs = SILENCE_MS } = options;
  let cursor: string | null = null;
  let retryMs = DEFAULT_RETRY_MS;
  while (!signal.aborted) {
    let waitMs: number | null = null;
    const dead = new AbortController();
    const timer = setTimeout(() => dead.abort(), silenceMs);
    try {
      const body = await connect(options, cursor, AbortSignal.any([signal, dead.signal]));
      yield { kind: 'connected' };
      for await (const frame of readFrames(body, () => timer.refresh())) {
        if (typeof frame === 'number') {
          retryMs = frame;
          continue;
        }
        const { id = '', event, data } = frame;
        if (event === 'error') throw explainError(data);
        if (event === 'reconnect') waitMs = readRetry(data);
        cursor = id;
        yield event === 'endorsement' ? { kind: 'event', id, data } : { kind: 'cursor', id };
      }
      // The service gives a reason before it ends a connection, as it does every hour; a proxy does not.
      if (waitMs === null) throw new LostConnection('the connection ended');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OperatorError) throw error;
      waitMs = (error instanceof LostConnection ? error.retryMs : null) ?? retryMs;
      yield { kind: 'lost', reason: describeLoss(error, dead.signal.aborted), waitMs };
    } finally {
      clearTimeout(timer);
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

async function connect(
  { url, key, query }: FollowStreamOptions,
  cursor: string | null,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const address = `${url}/v1/stream?${new URLSearchParams(query)}`;
  const headers = { Authorization: `Bearer ${key}`, ...(cursor !== null && { 'Last-Event-ID': cursor }) };
  const response = await fetch(address, { headers, signal });
  const { status } = response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (status === 200 && isStream && response.body) return response.body;
  const message = await readErrorMessage(response);
  if (status === 429 || status >= 500) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    throw new LostConnection(message, Number.isFinite(seconds) ? seconds * 1000 : null);
  }
  if (status === 410 && cursor !== null) throw gone();
  throw new OperatorError(
    status < 400 ? `${url} is not this service: its answer is not a stream.` : `${url} refuses: ${message}`,
  );
}

function gone(): OperatorError {
  return new OperatorError(
    'The stream no longer keeps the changes after the last one that was shown: begin again with --from earliest.',
  );
}

async function readErrorMessage(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return error.message;
  } catch {
    // A proxy's answer has another form.
    return `${response.status} ${response.statusText}`.trim();
  }
}

/** The frames of a connection until it ends, and each `retry` in milliseconds. */
async function* readFrames(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<EventSourceMessage | number> {
  const found: (EventSourceMessage | number)[] = [];
  const parser = createParser({
    onEvent: (event) => void found.push(event),
    onRetry: (retryMs) => void found.push(retryMs),
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    onBytes();
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* found.splice(0);
  }
}

/** The wait of a `reconnect` frame, in milliseconds. */
function readRetry(data: string): number {
  return (JSON.parse(data) as { retry_ms: number }).retry_ms;
}

/** The failure in an `error` frame. */
function explainError(data: string): Error {
  const { code, message } = JSON.parse(data) as { code: string; message: string };
  return code === 'cursor_expired' ? gone() : new LostConnection(message);
}

function describeLoss(error: unknown, isSilent: boolean): string {
  if (isSilent) return 'the connection was silent for too long';
  if (error instanceof LostConnection) return error.message;
  // Errors of fetch say "fetch failed" and have the reason in their cause.
  const { cause, message } = error as Error;
  const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? (reason || message);
}
