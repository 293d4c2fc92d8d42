/**
 * Draws the service's behaviour under growing load, each curve beside its peer from the same run: deliveries by the
 * number of streams, latency by the rate of changes, and the cost of an answer by its size. It starts its own service
 * with the demo ballot, and writes the plots and their numbers to docs/images/.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startSystem } from '../test/helpers/service/system.ts';
import { Baseline } from './baseline.ts';
import { type CurveGroup, drawCurves } from './draw-curves.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { measureCost, measureRate, type Target, WARM_UP_SECONDS } from './load.ts';
import { measureAll, openArena } from './stream/fan-out.ts';
import { LatencyBench, type LatencyRound } from './stream/latency.ts';

const STREAMS = [100, 300, 1000, 3000];
/** Roughly the deliveries in a round: enough for a steady rate. */
const DELIVERIES = 1_000_000;
const CHANGES_TOGETHER = 20;
const RATES = [10, 50, 100, 200, 500];
/** The duration of a round at a rate of changes, in seconds. */
const LATENCY_SECONDS = 8;
const PAGE_SIZES = [1, 10, 50, 100, 200, 500];

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    to: { type: 'string', default: 'docs/images' },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);

async function measureThroughput(): Promise<CurveGroup> {
  const arena = await openArena();
  const names = ['the gateway', 'the gateway, with gzip', 'a bare server'];
  const group: CurveGroup = {
    title: `Deliveries a second, ${CHANGES_TOGETHER} changes at a time`,
    x: 'streams',
    y: 'deliveries a second',
    points: [],
  };
  for (const streams of STREAMS) {
    const passes = Math.ceil(DELIVERIES / (streams * CHANGES_TOGETHER));
    const results = await measureAll(arena, { streams, changes: CHANGES_TOGETHER, passes }, rounds);
    for (const name of names) {
      const perSecond = results.get(name)?.map((measured) => measured.perSecond) ?? [];
      group.points.push({ series: name, x: streams, values: perSecond });
    }
  }
  await arena.stop();
  return group;
}

async function measureLatencies(): Promise<CurveGroup> {
  const system = await startSystem();
  const bench = await LatencyBench.open(system);
  const group: CurveGroup = {
    title: 'From a submission to a client of the stream',
    x: 'changes a second',
    y: 'milliseconds',
    points: [],
  };
  for (const rate of RATES) {
    const measured: LatencyRound[] = [];
    for (let round = 0; round < rounds; round += 1) {
      measured.push(await bench.measure(rate * LATENCY_SECONDS, rate));
    }
    const add = (series: string, pick: (round: LatencyRound) => number) =>
      group.points.push({ series, x: rate, values: measured.map(pick) });
    add('median', ({ service }) => service.median);
    add('99th percentile', ({ service }) => service.p99);
    add('Kafka alone, median', ({ kafka }) => kafka.median);
    add('Kafka alone, 99th percentile', ({ kafka }) => kafka.p99);
  }
  await bench.close();
  await system.stop();
  return group;
}

async function measureCosts(): Promise<CurveGroup> {
  const system = await startSystem();
  const headers = { Authorization: `Bearer ${system.key}` };
  const config = { databaseUrl: system.databaseUrl, brokers: system.brokers, topicPrefix: '' };
  const kept = await startGatewayProcess(config);
  const fresh = await startGatewayProcess(config, { RESPONSE_MEMORY_MB: '0' });
  const baseline = new Baseline(system.databaseUrl);
  const group: CurveGroup = {
    title: 'Processor time of a server for a page of endorsements',
    x: 'kilobytes of the page',
    y: 'microseconds',
    points: [],
  };
  const options = { connections: 8, seconds: 2 };
  for (const limit of PAGE_SIZES) {
    const address = `/v1/endorsements?limit=${limit}`;
    const target = (base: string): Target => ({ url: `${base}${address}`, headers });
    const size = (await (await fetch(`${fresh.base}${address}`, { headers })).arrayBuffer()).byteLength;
    const { sql } = await baseline.targetsOf(address);
    const servers = [
      { series: 'made anew', pid: fresh.pid, target: target(fresh.base) },
      { series: 'kept', pid: kept.pid, target: target(kept.base) },
      { series: 'Fastify and postgres.js', pid: baseline.pid, target: sql },
    ];
    const measured = new Map<string, number[]>(servers.map(({ series }) => [series, []]));
    if (limit === PAGE_SIZES[0]) {
      for (const { target: asked } of servers)
        await measureRate(asked, { ...options, seconds: WARM_UP_SECONDS });
    }
    for (let round = -1; round < rounds; round += 1) {
      for (const { series, pid, target: asked } of servers) {
        const { cpuMicroseconds } = await measureCost(pid, asked, options);
        if (round >= 0) measured.get(series)?.push(cpuMicroseconds);
      }
    }
    for (const [series, values] of measured) group.points.push({ series, x: size / 1000, values });
  }
  baseline.stop();
  await Promise.all([kept.stop(), fresh.stop()]);
  await system.stop();
  return group;
}

const CURVES: Record<string, () => Promise<CurveGroup>> = {
  throughput: measureThroughput,
  latency: measureLatencies,
  cost: measureCosts,
};

await mkdir(values.to, { recursive: true });
for (const [name, measure] of Object.entries(CURVES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const group = await measure();
  await writeFile(path.join(values.to, `${name}.json`), `${JSON.stringify({ rounds, ...group }, null, 1)}\n`);
  await writeFile(path.join(values.to, `${name}.svg`), await drawCurves(group));
  process.stdout.write(`${path.join(values.to, `${name}.svg`)}\n`);
}
process.exit(0);
