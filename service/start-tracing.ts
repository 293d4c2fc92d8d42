import type { Environment } from './environment.ts';
import { useTracing } from './tracing.ts';

/**
 * Begins to trace if OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set. Call this
 * before importing the watched modules, `pg` and `node:http`. The standard variables of OpenTelemetry apply.
 *
 * @param program the program's name in traces, unless OTEL_SERVICE_NAME has another
 */
export async function startTracing(program: string, env: Environment): Promise<void> {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT && !env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return;
  const { startSdk } = await import('./tracing-sdk.ts');
  useTracing(startSdk(program, env));
}
