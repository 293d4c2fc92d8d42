/**
 * Measures the read endpoints beside baselines in the same run: a server of Fastify and postgres.js that runs the same
 * SQL and sends the same bytes, and one that sends them from memory. It runs on a loaded store: DATABASE_URL and
 * KAFKA_BROKERS, or a running service's DATA_DIR.
 */
import { parseArgs } from 'node:util';
import { createKey } from '../ops/commands/keys.ts';
import { createConfig as createOpsConfig } from '../ops/config.ts';
import { readEnv } from '../service/running-service.ts';
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
import { DEEP_LISTS, findSingles, findStates, LISTS } from './read-cases.ts';
import { formatSpread } from './statistics.ts';

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

const config = createOpsConfig(readEnv(process.env));
const { databaseUrl } = config;
const key = await createKey({ databaseUrl, account: 'bench', plan: 'internal' });
const headers = { Authorization: `Bearer ${key}` };
const gateway = await startGatewayProcess(config, values.fresh ? { RESPONSE_MEMORY_MB: '0' } : {});
const { base } = gateway;
const baseline = new Baseline(databaseUrl);

const service = (path: string): Target => ({ url: `${base}${path}`, headers });

/** Measures several subjects in turn, once a round, after a round of warm-up. */
async function measureRounds<Name extends string>(
  measures: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>[]> {
  const rounds: Record<Name, number>[] = [];
  for (let round = -1; round < Number(values.rounds); round += 1) {
    const measured: Partial<Record<Name, number>> = {};
    for (const name of Object.keys(measures) as Name[]) measured[name] = await measures[name]();
    if (round >= 0) rounds.push(measured as Record<Name, number>);
  }
  return rounds;
}

/** Measures the rate, and adds the processor time of an answer to the list. */
async function keepCpu(cost: ReturnType<typeof measureCost>, cpuUs: number[]): Promise<number> {
  const { rate, cpuMicroseconds } = await cost;
  cpuUs.push(cpuMicroseconds);
  return rate;
}

const spread = <Round>(rounds: Round[], pick: (round: Round) => number, digits: number) =>
  formatSpread(rounds.map(pick), digits);

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
  const cpu = { service: [] as number[], compressed: [] as number[], sql: [] as number[] };
  const rounds = await measureRounds({
    service: () => keepCpu(measureCost(gateway.pid, service(path), options), cpu.service),
    compressed: () => keepCpu(measureCost(gateway.pid, compressed, options), cpu.compressed),
    sql: () => keepCpu(measureCost(baseline.pid, sql, options), cpu.sql),
    memory: () => measureRate(memory, options),
    conditional: async () => measureRate(await conditional(), options),
  });
  const rate = LOAD_FOR_LATENCY * Math.min(...rounds.map((round) => round.service));
  const { p50, p99 } = await measureLatency(service(path), {
    ...options,
    seconds: 3 * options.seconds,
    rate,
  });
  print(path);
  print(
    `  ${spread(rounds, (round) => round.service, 0)}/s of ${bytes} bytes; at ${rate.toFixed(0)}/s p50 ${p50} ms, p99 ${p99} ms`,
  );
  print(`  to the same SQL and bytes ${spread(rounds, (round) => round.service / round.sql, 2)}`);
  print(
    `  processor time of an answer: ${formatSpread(cpu.service.slice(1), 0)} µs, of the baseline's ` +
      formatSpread(cpu.service.map((each, round) => each / (cpu.sql[round] ?? 0)).slice(1), 2),
  );
  print(
    `  with gzip, of the rate without ${spread(rounds, (round) => round.compressed / round.service, 2)}, ` +
      `processor time ${formatSpread(cpu.compressed.map((each, round) => each / (cpu.service[round] ?? 0)).slice(1), 2)}`,
  );
  print(`  to the bytes from memory ${spread(rounds, (round) => round.service / round.memory, 2)}`);
  if (isRepeatable)
    print(`  304 to the bytes from memory ${spread(rounds, (round) => round.conditional / round.memory, 2)}`);
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
    `${path}\n  page ${DEEP_PAGE} to page 1, time: ${spread(rounds, (round) => round.first / round.deep, 2)}`,
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
  print(`  ${spread(rounds, (round) => round.service, 0)} ms of ${bytes} bytes`);
  print(`  to its SQL alone, time: ${spread(rounds, (round) => round.service / round.queries, 2)}`);
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
