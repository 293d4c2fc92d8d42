import { afterEach, expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { readHeaders } from '../../kafka/protocol/record-batches.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { readChangeHeaders } from '../../schemas/record-headers.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { countObserved } from '../helpers/service/metrics.ts';
import { useTestService } from '../helpers/service/service.ts';
import type { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { useStreams } from '../helpers/stream/use-streams.ts';
import { until } from '../helpers/until.ts';

const service = useTestService({ partitions: 1 });
const opened = useStreams();
afterEach(() => register.resetMetrics());

const delivered = () => countObserved('stream_delivery_seconds', {});
const hops = (hop: string) => countObserved('stream_hop_seconds', { hop });

async function connect(query = ''): Promise<EventStreamClient> {
  const stream = await opened(service.stream(query));
  await stream.wait('ready', 1);
  return stream;
}

/** The sum of all observations of a histogram of this process, in seconds. */
async function sumOf(name: string): Promise<number> {
  const metric = await register.getSingleMetric(name)?.get();
  return (metric?.values ?? [])
    .filter((each) => 'metricName' in each && each.metricName === `${name}_sum`)
    .reduce((sum, { value }) => sum + value, 0);
}

test('a change that streams wait for is measured once, from its submission to their sockets, hop by hop', async () => {
  const started = performance.now();
  const streams = [await connect(), await connect(), await connect('endorsers=bakers-local-1')];
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('bakers-local-1', 'mayor', 'bob'),
    endorse('nation-herald', 'mayor', 'bob'),
  ]);
  const [all] = streams;
  await until('the events', () => (all?.events.length ?? 0) >= 4);
  const count = (all?.events.length ?? 0) - 1;
  await until('the measurement', async () => (await delivered()) === count);
  expect(await hops('apply')).toBe(3);
  expect(await hops('relay')).toBe(count);
  expect(await hops('tail')).toBe(count);
  expect(await hops('write')).toBe(count);
  const seconds = (performance.now() - started) / 1000;
  const sum = await sumOf('stream_delivery_seconds');
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThan(seconds * count);
});

test('a change that no stream waits for is not measured at the gateway', async () => {
  const before = await service.latestSequence();
  await service.submit([endorse('coast-gazette', 'mayor', 'ann')]);
  await until('the event', async () => (await service.latestSequence()) === before + 1);
  expect(await hops('relay')).toBe(1);
  // Older events are read, not delivered.
  const stream = await connect('from=earliest');
  await until('the events', () => stream.events.length >= before + 2);
  expect([await delivered(), await hops('tail'), await hops('write')]).toEqual([0, 0, 0]);
});

test('the record of a change tells when it was submitted and relayed', async () => {
  const { brokers, topicPrefix } = service;
  const { changes: topic } = topicNames(topicPrefix);
  const reader = new TopicReader({ brokers, topic, clientId: 'test' });
  try {
    const limits = { maxWaitMs: 100, partitionMaxBytes: 1_000_000 };
    const [read] = await reader.fetchFromSources(await reader.sources(), new Map([[0, 0]]), limits);
    const [record] = read?.records ?? [];
    const { submittedAt, relayedAt, traceparent } = readChangeHeaders(
      readHeaders(record?.headers ?? Buffer.from([0])),
    );
    expect(relayedAt).toBeGreaterThanOrEqual(submittedAt ?? Number.NaN);
    // The broker, which is on this machine, appended it after the relay had sent it.
    expect(Math.abs((record?.timestamp ?? 0) - (relayedAt ?? 0))).toBeLessThan(60_000);
    expect(traceparent).toBeNull();
  } finally {
    await reader.close();
  }
});
