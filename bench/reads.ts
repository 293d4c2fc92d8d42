/**
 * Measures the read endpoints beside baselines in the same run: a server of Fastify and postgres.js that runs the same
 * SQL and sends the same bytes, and one that sends them from memory. It runs on a loaded store: DATABASE_URL and
 * KAFKA_BROKERS, or a running service's DATA_DIR.
 */
import { parseArgs } from 'node:util';
import { Baseline } from './baseline.ts';
import { print } from './command-line.ts';
import { startGatewayProcess } from './gateway-process.ts';
import {
  measureCost,
  measureLatency,
  measureOne,
  measureRate,
  type Target,
  WARM_UP_SECONDS,
} from './load.ts';
import { openStore } from './open-store.ts';
import { DEEP_LISTS, findSingles, findStates, LISTS } from './read-cases.ts';
import { spreadOf } from './statistics.ts';

/** Latencies are measured at this part of an endpoint's highest rate. */
const LOAD_FOR_LATENCY = 0.5;
const DEEP_PAGE = 100;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    // Every answer is rendered again, as if all requests differed or the data always changed.
    fresh: { type: 'boolean', default: false },
  },
});
const options = { seconds: Number(values.seconds), connections: Number(values.connections) };
const wanted = (path: string) => path.includes(values.only);

const { config, headers } = await openStore();
const { databaseUrl } = config;
const gateway = await startGatewayProcess(config, values.fresh ? { RESPONSE_MEMORY_MB: '0' } : {});
const { base } = gateway;
const baseline = new Baseline(databaseUrl);

const service = (path: string): Target => ({ url: `${base}${path}`, headers });

/** Measures several subjects in turn, once a round, after a round of warm-up. */
async function measureRounds<Name extends string, Result>(
  measures: Record<Name, () => Promise<Result>>,
): Promise<Record<Name, Result>[]> {
  const rounds: Record<Name, Result>[] = [];
  for (let round = -1; round < Number(values.rounds); round += 1) {
    const measured: Partial<Record<Name, Result>> = {};
    for (const name of Object.keys(measures) as Name[]) measured[name] = await measures[name]();
    if (round >= 0) rounds.push(measured as Record<Name, Result>);
  }
  return rounds;
}

async function fetchPage(path: string): Promise<{ bytes: number; tag: string; cursor: string | null }> {
  const response = await fetch(`${base}${path}`, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  const tag = response.headers.get('etag') ?? '';
  return { bytes: Buffer.byteLength(text), tag, cursor: JSON.parse(text).next_cursor ?? null };
}

/** Warms up both servers with all lists. */
async function warmUp(): Promise<void> {
  const paths = LISTS.filter(wanted);
  const seconds = WARM_UP_SECONDS / paths.length;
  for (const path of paths) {
    const { sql } = await baseline.targetsOf(path);
    for (const target of [service(path), sql]) await measureRate(target, { ...options, seconds });
  }
}

/**
 * Measures requests a second beside the same SQL and bytes and beside only the bytes, latencies, and the cost of a 304.
 */
async function compare(path: string): Promise<void> {
  const { bytes, tag } = await fetchPage(path);
  const { sql, memory } = await baseline.targetsOf(path);
  // The first page of endorsements contains the stream's current cursor, so once a minute it differs.
  const isRepeatable = (await fetchPage(path)).tag === tag;
  const conditional = async (): Promise<Target> => ({
    ...service(path),
    headers: { ...headers, 'If-None-Match': (await fetchPage(path)).tag },
    statuses: [304, 200],
  });
  const compressed: Target = { ...service(path), headers: { ...headers, 'Accept-Encoding': 'gzip' } };
  const rounds = await measureRounds({
    service: () => measureCost(gateway.pid, service(path), options),
    compressed: () => measureCost(gateway.pid, compressed, options),
    sql: () => measureCost(baseline.pid, sql, options),
    memory: () => measureCost(baseline.pid, memory, options),
    conditional: async () => measureCost(gateway.pid, await conditional(), options),
  });
  type Round = (typeof rounds)[number];
  const rateTo = (one: keyof Round, other: keyof Round) =>
    spreadOf(rounds, (round) => round[one].rate / round[other].rate, 2);
  const cpuTo = (one: keyof Round, other: keyof Round) =>
    spreadOf(rounds, (round) => round[one].cpuMicroseconds / round[other].cpuMicroseconds, 2);
  const rate = LOAD_FOR_LATENCY * Math.min(...rounds.map((round) => round.service.rate));
  const { p50, p99 } = await measureLatency(service(path), {
    ...options,
    seconds: 3 * options.seconds,
    rate,
  });
  print(path);
  print(
    `  ${spreadOf(rounds, (round) => round.service.rate, 0)}/s of ${bytes} bytes; at ${rate.toFixed(0)}/s p50 ${p50} ms, p99 ${p99} ms`,
  );
  print(`  to the same SQL and bytes ${rateTo('service', 'sql')}`);
  print(
    `  processor time of an answer: ${spreadOf(rounds, (round) => round.service.cpuMicroseconds, 0)} µs, ` +
      `of the baseline's ${cpuTo('service', 'sql')}`,
  );
  print(
    `  with gzip, of the rate without ${rateTo('compressed', 'service')}, ` +
      `processor time ${cpuTo('compressed', 'service')}`,
  );
  print(`  to the bytes from memory ${rateTo('service', 'memory')}`);
  if (isRepeatable) print(`  304 to the bytes from memory ${rateTo('conditional', 'memory')}`);
}

/** Compares the times of the hundredth page and the first. */
async function compareDepth(path: string): Promise<void> {
  let deep = path;
  for (let page = 1; page < DEEP_PAGE; page += 1) {
    const { cursor } = await fetchPage(deep);
    if (cursor === null) throw new Error(`${path} has no page ${DEEP_PAGE}.`);
    deep = `${path}&cursor=${cursor}`;
  }
  const rounds = await measureRounds({
    first: () => measureRate(service(path), options),
    deep: () => measureRate(service(deep), options),
  });
  print(
    `${path}\n  page ${DEEP_PAGE} to page 1, time: ${spreadOf(rounds, (round) => round.first / round.deep, 2)}`,
  );
}

/** Measures the time of large answers, one at a time, beside only their SQL. */
async function compareAlone(path: string): Promise<void> {
  const { bytes } = await fetchPage(path);
  const { queries } = await baseline.targetsOf(path);
  const rounds = await measureRounds({
    service: () => measureOne(service(path)),
    queries: () => measureOne(queries),
  });
  print(path);
  print(`  ${spreadOf(rounds, (round) => round.service, 0)} ms of ${bytes} bytes`);
  print(`  to its SQL alone, time: ${spreadOf(rounds, (round) => round.service / round.queries, 2)}`);
}

try {
  print(
    `middle (lowest to highest) of ${values.rounds} rounds of ${values.seconds} s, ${values.connections} connections`,
  );
  await warmUp();
  for (const path of [...LISTS, ...(await findSingles(databaseUrl))].filter(wanted)) await compare(path);
  for (const path of DEEP_LISTS.filter(wanted)) await compareDepth(path);
  for (const path of (await findStates(databaseUrl)).filter(wanted)) await compareAlone(path);
} finally {
  baseline.stop();
  await gateway.stop();
}
process.exit(0);
