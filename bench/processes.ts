/**
 * Compares two processes of a gateway with one: `npm run bench -- processes`. Each process gets the same share of a
 * processor. So the readers and the servers on the same machine have enough left and limit neither. It needs root and
 * the first version of control groups.
 */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { startSystem } from '../test/helpers/service/system.ts';
import { readNumbers } from './command-line.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { measureRate } from './load.ts';
import { spreadOf } from './statistics.ts';
import { childrenOf, cpuMsOf } from './stream/process-usage.ts';
import { Publisher } from './stream/publisher.ts';
import { ReaderPool } from './stream/reader-pool.ts';

const GROUPS = '/sys/fs/cgroup/cpu';
const PERIOD_US = 20_000;
const PATHS = ['/v1/states', '/v1/endorsements?limit=20'] as const;
const CONNECTIONS_EACH = 32;
const WARM_UP_SECONDS = 12;
const STREAMS = 600;
const CHANGES = 100;
const PASSES = 12;

const options = readNumbers({ rounds: 5, share: 0.3, seconds: 3 });
interface Measured {
  perSecond: number;
  cpuMicroseconds: number;
}

class Contestant {
  readonly gateway: GatewayProcess;
  readonly processes: number;
  /** The processes that serve requests. */
  readonly #pids: number[];

  constructor(gateway: GatewayProcess, processes: number) {
    this.gateway = gateway;
    this.processes = processes;
    this.#pids = processes === 1 ? [gateway.pid] : childrenOf(gateway.pid);
    if (this.#pids.length !== processes) throw new Error(`There are ${this.#pids.length} processes.`);
    for (const each of this.#pids) limit(each, options.share);
  }

  /** Counts work against its time and its processor time, the accepting process included. */
  async measure(work: () => Promise<{ count: number; ms: number }>): Promise<Measured> {
    const pids = new Set([this.gateway.pid, ...this.#pids]);
    const used = () => [...pids].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
    const before = used();
    const { count, ms } = await work();
    return { perSecond: (count * 1000) / ms, cpuMicroseconds: ((used() - before) * 1000) / count };
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    for (const pid of this.#pids) rmdirSync(groupOf(pid));
  }
}

const groupOf = (pid: number) => `${GROUPS}/ballot-bench-${pid}`;

function limit(pid: number, share: number): void {
  const group = groupOf(pid);
  mkdirSync(group);
  writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
  writeFileSync(`${group}/cpu.cfs_quota_us`, String(Math.round(PERIOD_US * share)));
  writeFileSync(`${group}/cgroup.procs`, String(pid));
}

const system = await startSystem();
const publisher = await Publisher.open(system);
const contestants: Contestant[] = [];
for (const processes of [1, 2]) {
  const settings = { GATEWAY_PROCESSES: String(processes) };
  const gateway = await startGatewayProcess({ ...system, topicPrefix: '' }, settings);
  contestants.push(new Contestant(gateway, processes));
}

async function read(
  { gateway, processes }: Contestant,
  path: string,
  seconds = options.seconds,
): Promise<{ count: number; ms: number }> {
  const target = { url: `${gateway.base}${path}`, headers: { Authorization: `Bearer ${system.key}` } };
  const perSecond = await measureRate(target, {
    connections: CONNECTIONS_EACH * processes,
    seconds,
  });
  return { count: perSecond * seconds, ms: seconds * 1000 };
}

async function fanOut(pool: ReaderPool): Promise<{ count: number; ms: number }> {
  let ms = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const changes = publisher.make(CHANGES, 0);
    const { received } = await pool.expect(changes.at(-1)?.id ?? '');
    const start = performance.now();
    await publisher.send(changes);
    await received;
    ms += performance.now() - start;
  }
  return { count: PASSES * CHANGES * STREAMS, ms };
}

async function compare(name: string, run: (one: Contestant) => Promise<Measured>): Promise<void> {
  const rounds: Measured[][] = [];
  // The first round warms up.
  for (let round = -1; round < options.rounds; round += 1) {
    const measured: Measured[] = [];
    for (const one of contestants) measured.push(await run(one));
    if (round >= 0) rounds.push(measured);
  }
  const show = (pick: (one: Measured, two: Measured) => number, digits: number) =>
    spreadOf(rounds, ([one, two]) => (one && two ? pick(one, two) : Number.NaN), digits);
  process.stdout.write(
    `${name}\n` +
      `  one process ${show((one) => one.perSecond, 0)}/s, two ${show((_, two) => two.perSecond, 0)}/s, ` +
      `ratio ${show((one, two) => two.perSecond / one.perSecond, 2)}\n` +
      `  processor time each ${show((one) => one.cpuMicroseconds, 1)} and ` +
      `${show((_, two) => two.cpuMicroseconds, 1)} µs\n`,
  );
}

try {
  process.stdout.write(
    `middle (lowest to highest) of ${options.rounds} rounds, ${options.share} of a processor each\n`,
  );
  for (const one of contestants) await read(one, PATHS[0], WARM_UP_SECONDS);
  for (const path of PATHS) await compare(path, (one) => one.measure(() => read(one, path)));
  await compare(`${STREAMS} streams`, async (one) => {
    const port = Number(new URL(one.gateway.base).port);
    const pool = await ReaderPool.open({ port, key: system.key, paths: Array(STREAMS).fill('/v1/stream') });
    const measured = await one.measure(() => fanOut(pool));
    pool.close();
    return measured;
  });
} finally {
  for (const one of contestants) await one.stop();
  await publisher.close();
  await system.stop();
}
process.exit(0);
