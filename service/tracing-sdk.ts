/** OpenTelemetry, loaded only if traces are sent. */
import type { IncomingMessage } from 'node:http';
import { register } from 'node:module';
import {
  type Attributes,
  type Context,
  context,
  DiagConsoleLogger,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { withDeadline } from './deadline.ts';
import { type Environment, SettingError } from './environment.ts';
import type { MessageWork, Tracing } from './tracing.ts';
import { withoutSecrets } from './without-secrets.ts';

/** The most links of a span: a collector refuses spans that are too large. */
const MAX_LINKS = 128;
/** How long a process that stops waits for the collector to take the last spans, in milliseconds. */
const STOP_MS = 3000;
const KINDS = { producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER };

/** Only requests of the API: paths and queries of the console can hold secrets, and probes are noise. */
function isUntraced({ url = '' }: IncomingMessage): boolean {
  return !url.startsWith('/v1/') && !url.startsWith('/console/api/v1/');
}

/** Watches the imports of `pg` and `node:http`; other modules load as usual. */
function watchImports(): void {
  const include = ['pg', 'http', 'node:http'];
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url, { data: { include } });
}

/** The context of a valid `traceparent` of a recorded trace; undefined otherwise. */
function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = text.split('-');
  if (!traceId || !spanId || !flags) return undefined;
  const traceFlags = Number.parseInt(flags, 16);
  if ((traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return { traceId, spanId, traceFlags, isRemote: true };
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Places the span of work on messages: in their common trace, or in a new one with links to several. */
function placeSpan({ name, kind, traceparents, attributes = {} }: MessageWork): {
  options: { kind: SpanKind; links: Link[]; attributes: Attributes };
  parent: Context;
} {
  const spanContexts = new Map<string, SpanContext>();
  for (const text of traceparents) {
    if (text === null || spanContexts.has(text)) continue;
    const spanContext = parseTraceparent(text);
    if (spanContext) spanContexts.set(text, spanContext);
    if (spanContexts.size === MAX_LINKS) break;
  }
  const [operation = '', destination = ''] = name.split(' ');
  const options = {
    kind: KINDS[kind],
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.name': operation,
      'messaging.destination.name': destination,
      ...attributes,
    },
  };
  const [only, ...others] = spanContexts.values();
  if (only && others.length === 0) {
    return { options: { ...options, links: [] }, parent: trace.setSpanContext(ROOT_CONTEXT, only) };
  }
  const links = [...spanContexts.values()].map((each) => ({ context: each }));
  return { options: { ...options, links }, parent: context.active() };
}

/** @throws SettingError for other protocols */
function createExporter(env: Environment): SpanExporter {
  const name = 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env[name] || 'http/protobuf';
  if (protocol === 'http/protobuf') return new ProtobufExporter();
  if (protocol === 'http/json') return new JsonExporter();
  throw new SettingError(
    `${name} is "${protocol}", but traces are sent by http/protobuf or http/json, which collectors take at port 4318.`,
  );
}

/** The host and the program, without the command line, which can hold passwords. */
function describeProgram(program: string, env: Environment): Resource {
  const name = env.OTEL_SERVICE_NAME || `ballot-endorsements-${program}`;
  return defaultResource()
    .merge(detectResources({ detectors: [envDetector, hostDetector] }))
    .merge(resourceFromAttributes({ 'service.name': name }));
}

/** Starts OpenTelemetry's traces. Its parts read the standard variables, such as OTEL_TRACES_SAMPLER. */
export function startSdk(program: string, env: Environment): Tracing {
  const exporter = createExporter(env);
  const level = DiagLogLevel[(env.OTEL_LOG_LEVEL ?? '').toUpperCase() as keyof typeof DiagLogLevel];
  if (level !== undefined) diag.setLogger(new DiagConsoleLogger(), level);
  watchImports();
  const provider = new NodeTracerProvider({
    resource: describeProgram(program, env),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: isUntraced,
        disableOutgoingRequestInstrumentation: true,
        // As in the log, queries and secrets in paths are omitted.
        startIncomingSpanHook: ({ url = '' }) => ({
          ...{ 'url.query': '', 'url.path': withoutSecrets(url.split('?', 1)[0] as string) },
        }),
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  const tracer = trace.getTracer('ballot-endorsements');
  return {
    currentTraceparent() {
      const spanContext = trace.getActiveSpan()?.spanContext();
      return spanContext ? formatTraceparent(spanContext) : null;
    },
    trace(work, run) {
      const { options, parent } = placeSpan(work);
      return tracer.startActiveSpan(work.name, options, parent, async (span) => {
        try {
          return await run();
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    record(work) {
      const { options, parent } = placeSpan(work);
      tracer.startSpan(work.name, { ...options, startTime: work.startedAt }, parent).end(work.endedAt);
    },
    nameRequest(method, route) {
      trace.getActiveSpan()?.updateName(`${method} ${route}`).setAttribute('http.route', route);
    },
    async stop() {
      // A collector that is away or silent must not keep the process from ending.
      await withDeadline(provider.shutdown(), STOP_MS, () => new Error('The collector is silent.')).catch(
        () => {},
      );
    },
  };
}
