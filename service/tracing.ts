/*
 * Traces, if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise nothing of OpenTelemetry's SDK is loaded, and everything here
 * returns at once. `tracing-sdk.ts` is the one file that knows OpenTelemetry, and `start-tracing.ts` loads it.
 */

/** A piece of work on messages, for which there is a span. */
export interface MessageWork {
  /** By OpenTelemetry's conventions: the operation and the topic, such as `process endorsement-submissions`. */
  name: string;
  kind: 'producer' | 'consumer';
  /**
   * The W3C trace contexts of the messages, repeats and nulls included. If all are the same, the span continues that
   * trace. Otherwise it begins one of its own, with a link to each, up to a limit.
   */
  traceparents: Iterable<string | null>;
  attributes?: Readonly<Record<string, string | number>>;
}

/** A span that is over. Times are milliseconds since 1970 by this machine's clock. */
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

/** Sends spans from now on, or none if it is null. */
export function useTracing(started: Tracing | null): void {
  tracing = started;
}

/** Sends the spans that wait. Never rejects. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
  tracing = null;
}

/** The W3C trace context of the present span; null if there is none. */
export function currentTraceparent(): string | null {
  return tracing?.currentTraceparent() ?? null;
}

/** The ids of the present span, for lines of the log. */
export function currentTraceIds(): { trace_id?: string; span_id?: string } {
  const [, trace_id, span_id] = currentTraceparent()?.split('-') ?? [];
  return trace_id === undefined || span_id === undefined ? {} : { trace_id, span_id };
}

/** Runs work within a span, which notes its failure. */
export function traceMessages<T>(work: () => MessageWork, run: () => Promise<T>): Promise<T> {
  return tracing === null ? run() : tracing.trace(work(), run);
}

/** Adds a span of work that is over. */
export function recordMessages(work: PastWork): void {
  tracing?.record(work);
}

/** Names the span of the present request by its route, as a path with its parameters' names. */
export function nameRequestSpan(method: string, route: string): void {
  tracing?.nameRequest(method, route);
}
