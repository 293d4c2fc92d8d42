/** Traces of the programs as in production: OpenTelemetry watches the modules that a process imports. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { createFolder } from '../helpers/folder.ts';
import { type CollectedSpan, startTraceCollector } from '../helpers/servers/trace-collector.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { untilReady } from '../helpers/service/system.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const service = useTestService({ gateways: 0 });
const processes: ServiceProcess[] = [];
let collector: Awaited<ReturnType<typeof startTraceCollector>>;
let gateway: ServiceProcess;
let consumers: ServiceProcess;
let base: string;

const env = () => ({
  ...service.env(),
  ...collector.env,
});

function start(program: string, own: Record<string, string> = {}, args: string[] = []): ServiceProcess {
  const started = startProcess(program, { ...env(), ...own }, args);
  processes.push(started);
  return started;
}

beforeAll(async () => {
  await service.stopConsumers();
  collector = await startTraceCollector();
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  gateway = start('gateway/main.ts', { PORT: String(port), DRAIN_MS: '0' });
  consumers = start('consumers/main.ts');
  await untilReady(base);
});
afterAll(async () => {
  for (const started of processes) await started.kill();
  await collector.stop();
});

const authorization = () => ({ Authorization: `Bearer ${service.key}` });

/** Sends submissions with the command, and returns its span. */
async function submit(...lines: object[]): Promise<CollectedSpan> {
  const known = collector.spans.length;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const folder = await createFolder({ 'endorsements.ndjson': text });
  try {
    const command = start('ops/main.ts', {}, ['submit', folder.dir]);
    await until('the command ends', () => command.exitCode() !== null);
    if (command.exitCode() !== 0) throw new Error(command.output());
    const isOwn = ({ service: name }: CollectedSpan) => name === 'ballot-endorsements-ops';
    await until('its span', () => collector.spans.slice(known).some(isOwn));
    return collector.spans.slice(known).find(isOwn) as CollectedSpan;
  } finally {
    await folder.remove();
  }
}

/** The spans that belong to a trace or have a link to it. */
const spansOf = ({ traceId }: CollectedSpan) =>
  collector.spans.filter(
    (span) => span.traceId === traceId || span.links?.some((link) => link.traceId === traceId),
  );
const wayOf = (submission: CollectedSpan) =>
  spansOf(submission)
    .filter(({ attributes }) => attributes['messaging.system'] === 'kafka')
    .map((span) => `${span.service}: ${span.name.replace(service.topicPrefix, '')}`);

const WAY = [
  'ballot-endorsements-ops: send endorsement-submissions',
  'ballot-endorsements-consumers: process endorsement-submissions',
  'ballot-endorsements-consumers: send endorsement-changes',
  'ballot-endorsements-gateway: deliver endorsement-changes',
];

test('the trace of a submission leads through every program up to the streams', async () => {
  const stream = await EventStreamClient.open(`${base}/v1/stream`, authorization());
  await stream.wait('ready', 1);
  const submission = await submit({
    endorser: 'bakers-local-1',
    contest: 'or-2026-11-03-general/mayor',
    choice: 'ann',
  });
  await stream.wait('endorsement', 1);
  await until('every hop', () => wayOf(submission).length === WAY.length);
  expect(wayOf(submission)).toEqual(expect.arrayContaining(WAY));
  // A submission alone in its batches has one trace, with the database's statements.
  const own = spansOf(submission).filter(({ traceId }) => traceId === submission.traceId);
  expect(own.filter(({ name }) => name.startsWith('pg.query:append-changes'))).not.toEqual([]);
  expect(own.filter(({ links }) => links?.length)).toEqual([]);
  stream.close();
});

test('a batch of several submissions has a link to the trace of each', async () => {
  await consumers.kill();
  const contest = 'or-2026-11-03-general/mayor';
  const first = await submit({ endorser: 'bakers-local-1', contest, choice: 'bob' });
  const second = await submit({ endorser: 'bakers-local-1', contest, choice: 'cyd' });
  start('consumers/main.ts');
  const isApply = ({ name }: CollectedSpan) => name.startsWith('process ');
  // The relay can send a change before the span of its application has ended.
  const areLinked = (submission: CollectedSpan) =>
    wayOf(submission).includes('ballot-endorsements-consumers: send endorsement-changes') &&
    spansOf(submission).some(isApply);
  await until('both', () => areLinked(first) && areLinked(second));
  expect(spansOf(first).filter(isApply)).toEqual(spansOf(second).filter(isApply));
  expect(spansOf(first).find(isApply)?.links).toHaveLength(2);
});

test('a request has a span named after its route, and its log line has the ids', async () => {
  const { status } = await fetch(`${base}/v1/endorsers/bakers-local-1?lang=es`, { headers: authorization() });
  expect(status).toBe(200);
  const isIt = ({ name }: CollectedSpan) => name === 'GET /v1/endorsers/{slug}';
  await until('its span', () => collector.spans.some(isIt));
  const span = collector.spans.find(isIt) as CollectedSpan;
  expect(span.attributes).toMatchObject({ 'http.route': '/v1/endorsers/{slug}', 'url.query': '' });
  expect(span.service).toBe('ballot-endorsements-gateway');
  const statements = collector.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
  expect(statements.length).toBeGreaterThan(0);
  const findLine = () =>
    gateway
      .output()
      .split('\n')
      .slice(0, -1)
      .find((each) => each.includes('/v1/endorsers/bakers-local-1'));
  await until('its log line', () => findLine() !== undefined);
  expect(JSON.parse(findLine() ?? '')).toMatchObject({ trace_id: span.traceId, span_id: span.spanId });
});

test('a key that is sent in a path by mistake is not in its span', async () => {
  await fetch(`${base}/v1/endorsers/${service.key}`, { headers: authorization() });
  const paths = () => collector.spans.map(({ attributes }) => attributes['url.path']);
  await until('its span', () => paths().includes('/v1/endorsers/...'));
  expect(JSON.stringify(collector.spans)).not.toContain(service.key);
});

test('probes, the console and work in the background have no spans', async () => {
  await fetch(`${base}/readyz`);
  await fetch(`${base}/console/sign-in`);
  await fetch(`${base}/v1/states`, { headers: authorization() });
  await until('a later span', () => collector.spans.some(({ name }) => name === 'GET /v1/states'));
  const paths = collector.spans.map(({ attributes }) => String(attributes['url.path'] ?? '/v1/'));
  expect(paths.filter((path) => !path.startsWith('/v1/'))).toEqual([]);
  // Repeated work, such as looking for new changes, has none either.
  const roots = collector.spans
    .filter(({ parentSpanId }) => !parentSpanId)
    .map(({ name }) => name.split(' ')[0]);
  expect(roots.filter((name) => !['GET', 'send', 'process', 'deliver'].includes(name ?? ''))).toEqual([]);
});
