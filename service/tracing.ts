/*
 * Traces, if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise OpenTelemetry's SDK is not loaded, and everything
 * here returns at once. Only `tracing-sdk.ts` uses OpenTelemetry, and `start-tracing.ts` loads it.
 */

/** Work on messages, with a span. */
export interface MessageWork {
  /** By OpenTelemetry's conventions: the operation and the topic, such as `process endorsement-submissions`. */
  name: string;
  kind: 'producer' | 'consumer';
  /**
   * The W3C trace contexts of the messages, including repeats and nulls. If all are the same, the span
   * continues that trace. Otherwise it begins a new trace, with a link to each, up to a limit.
   */
  traceparents: Iterable<string | null>;
  attributes?: Readonly<Record<string, string | number>>;
}

/** A finished span. Times are milliseconds since 1970 by this machine's clock. */
export interface PastWork extends MessageWork {
  startedAt: number;
  endedAt: number;
}

/** The part of OpenTelemetry that the service uses. */
export interface Tracing {
  currentTraceparent(): string | null;
  trace<T>(work: MessageWork, run: () => Promise<T>): Promise<T>;
  record(work: PastWork): void;
  nameRequest(method: string, route: string): void;
  stop(): Promise<void>;
}

let tracing: Tracing | null = null;

/** Whether this process sends traces. */
export function isTracing(): boolean {
  return tracing !== null;
}

/** Sends spans from now on; null stops sending. */
export function useTracing(started: Tracing | null): void {
  tracing = started;
}

/** Sends the waiting spans. Never rejects. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
  tracing = null;
}

/** The W3C trace context of the present span; null without a span. */
export function currentTraceparent(): string | null {
  return tracing?.currentTraceparent() ?? null;
}

/** The ids of the present span, for lines of the log. */
export function currentTraceIds(): { trace_id?: string; span_id?: string } {
  const [, trace_id, span_id] = currentTraceparent()?.split('-') ?? [];
  return trace_id === undefined || span_id === undefined ? {} : { trace_id, span_id };
}

/** Runs work within a span, which records a failure. */
export function traceMessages<T>(work: () => MessageWork, run: () => Promise<T>): Promise<T> {
  return tracing === null ? run() : tracing.trace(work(), run);
}

/** Adds a finished span. */
export function recordMessages(work: PastWork): void {
  tracing?.record(work);
}

/** Names the present request's span by its route: a path with its parameters' names. */
export function nameRequestSpan(method: string, route: string): void {
  tracing?.nameRequest(method, route);
}
