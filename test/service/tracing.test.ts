import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startTracing } from '../../service/start-tracing.ts';
import { currentTraceIds, currentTraceparent, isTracing, traceMessages } from '../../service/tracing.ts';

const run = promisify(execFile);

/** Runs a script in another process. @returns its output */
async function runScript(script: string, env: Record<string, string>): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
  return stdout;
}

/** Traces with these settings in another process. @returns how many modules of OpenTelemetry's SDK it loads */
async function countSdkModules(env: Record<string, string>): Promise<number> {
  const script = `
    import { Module } from 'node:module';
    import { startTracing } from './service/start-tracing.ts';
    await startTracing('test', process.env);
    await import('./consumers/program.ts');
    console.log(Object.keys(Module._cache).filter((file) => file.includes('@opentelemetry/sdk-')).length);
    process.exit(0);`;
  return Number(await runScript(script, env));
}

test('without the address of a collector, the SDK is not loaded and work runs unchanged', async () => {
  expect(await countSdkModules({})).toBe(0);
  await startTracing('test', {});
  expect([isTracing(), currentTraceparent(), currentTraceIds()]).toEqual([false, null, {}]);
  const work = () => {
    throw new Error('There is no span to describe.');
  };
  expect(await traceMessages(work, async () => 7)).toBe(7);
});

test('a protocol without an exporter is refused', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  await expect(startTracing('test', env)).rejects.toThrow('is "grpc", but traces are sent by http/protobuf');
  expect(isTracing()).toBe(false);
});

test('with it, the SDK is loaded', async () => {
  expect(await countSdkModules({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBeGreaterThan(0);
});

test('a collector that takes a connection and is silent does not keep a process from ending', async () => {
  const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
  try {
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const script = `
      import { startTracing } from './service/start-tracing.ts';
      import { recordMessages, stopTracing } from './service/tracing.ts';
      await startTracing('test', process.env);
      recordMessages({ name: 'process it', kind: 'consumer', traceparents: [], startedAt: 1, endedAt: 2 });
      await stopTracing();
      console.log('stopped');
      process.exit(0);`;
    // Its own time-out for a request is longer than that of the test.
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    };
    const connected = once(silent, 'connection');
    expect(await runScript(script, { ...env, OTEL_BSP_EXPORT_TIMEOUT: '600000' })).toBe('stopped\n');
    await connected;
  } finally {
    silent.close();
  }
});
