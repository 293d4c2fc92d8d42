/**
 * Measures a gateway's deliveries a second to streams that match everything. Peers are a bare `node:http` server that
 * writes the same bytes in the same turns, and nchan and Centrifugo if they are installed. Each pass publishes some
 * changes together and ends when all readers have them. The gateway is measured with and without compression.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Change } from '../../schemas/change.ts';
import { type System, startSystem } from '../../test/helpers/service/system.ts';
import { formatSpread, spreadOf } from '../statistics.ts';
import { startCentrifugo } from './centrifugo.ts';
import { startNchan } from './nchan.ts';
import { cpuMsOf } from './process-usage.ts';
import { Publisher, renderFrames } from './publisher.ts';
import { ReaderPool } from './reader-pool.ts';

/** A server whose deliveries are measured. */
interface Contestant {
  name: string;
  pid: number;
  port: number;
  path: string;
  gzip?: boolean;
  deliver(changes: Change[]): Promise<void>;
}

export interface Measured {
  perSecond: number;
  cpuMicroseconds: number;
  /** The bytes of a delivery on the connection. */
  bytes: number;
}

/** The number of streams, of changes at a time, and of passes. */
export interface FanOutLoad {
  streams: number;
  changes: number;
  passes: number;
}

const LOADS: readonly FanOutLoad[] = [
  { streams: 1000, changes: 20, passes: 100 },
  { streams: 1000, changes: 1, passes: 300 },
];

/** The servers to compare, which run until `stop`. */
export interface Arena {
  contestants: readonly Contestant[];
  publisher: Publisher;
  key: string;
  stop(): Promise<void>;
}

/**
 * Starts the service, the bare server, and those of nchan and Centrifugo that are installed.
 *
 * @param gatewayEnv settings of the gateway
 */
export async function openArena(gatewayEnv: Record<string, string> = {}): Promise<Arena> {
  const system = await startSystem(gatewayEnv);
  const publisher = await Publisher.open(system);
  const bare = fork('bench/stream/bare-server.ts');
  const [{ port: barePort }] = await once(bare, 'message');
  const peers = [await startNchan(), await startCentrifugo()].filter((peer) => peer !== null);
  const contestants = [
    ...gatewayContestants(system, publisher),
    {
      name: 'a bare server',
      pid: bare.pid ?? 0,
      port: barePort,
      path: '/',
      deliver: async (changes: Change[]) => void bare.send(renderFrames(changes).toString()),
    },
    ...peers.map(({ publish, ...peer }) => ({
      ...peer,
      deliver: (changes: Change[]) => publish(changes.map((change) => JSON.stringify(change))),
    })),
  ];
  const stop = async () => {
    for (const peer of peers) await peer.stop();
    bare.kill();
    await publisher.close();
    await system.stop();
  };
  return { contestants, publisher, key: system.key, stop };
}

/** @param rounds the number of measurements of each server, in turn */
export async function benchFanOut(rounds: number, print: (line: string) => void): Promise<void> {
  const arena = await openArena();
  for (const load of LOADS) await compare(arena, load, rounds, print);
  await arena.stop();
}

function gatewayContestants({ gatewayPid, base }: System, publisher: Publisher): Contestant[] {
  const port = Number(new URL(base).port);
  const deliver = (changes: Change[]) => publisher.send(changes);
  const gateway = { pid: gatewayPid, port, path: '/v1/stream', deliver };
  return [
    { ...gateway, name: 'the gateway' },
    { ...gateway, name: 'the gateway, with gzip', gzip: true },
  ];
}

/**
 * Measures each server once a round in turn, the gateway first, after a round of warm-up. @returns by the server's name
 */
export async function measureAll(
  { contestants, publisher, key }: Arena,
  load: FanOutLoad,
  rounds: number,
): Promise<Map<string, Measured[]>> {
  const results = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const contestant of contestants) {
      const { port, path, gzip = false } = contestant;
      const pool = await ReaderPool.open({ port, key, gzip, paths: Array(load.streams).fill(path) });
      const measured = await measure(contestant, pool, publisher, load);
      pool.close();
      if (round >= 0) results.get(contestant.name)?.push(measured);
    }
  }
  return results;
}

async function compare(
  arena: Arena,
  load: FanOutLoad,
  rounds: number,
  print: (line: string) => void,
): Promise<void> {
  const results = await measureAll(arena, load, rounds);
  print(
    `${load.streams} streams, ${load.changes} changes at a time: middle (lowest to highest) of ${rounds} rounds`,
  );
  const [own = []] = results.values();
  for (const [name, measured] of results) {
    const show = (pick: (each: Measured) => number, digits: number) => spreadOf(measured, pick, digits);
    print(
      `  ${name}: ${show((each) => each.perSecond, 0)} deliveries/s, ` +
        `${show((each) => each.cpuMicroseconds, 2)} µs of processor time and ${show((each) => each.bytes, 0)} bytes each`,
    );
    if (measured === own) continue;
    const ratio = (pick: (own: Measured, other: Measured) => number) =>
      formatSpread(
        own.flatMap((each, index) => (measured[index] ? [pick(each, measured[index])] : [])),
        2,
      );
    const perSecond = ratio((each, other) => each.perSecond / other.perSecond);
    const cpu = ratio((each, other) => other.cpuMicroseconds / each.cpuMicroseconds);
    print(`  the gateway to ${name}: ${perSecond} in deliveries/s, ${cpu} by processor time`);
  }
}

async function measure(
  { pid, deliver }: Contestant,
  pool: ReaderPool,
  publisher: Publisher,
  { streams, changes: count, passes }: FanOutLoad,
): Promise<Measured> {
  const before = { cpuMs: cpuMsOf(pid), ...(await pool.count()) };
  let ms = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    const changes = publisher.make(count);
    const { received } = await pool.expect(changes.at(-1)?.id ?? '');
    const start = performance.now();
    await deliver(changes);
    await received;
    ms += performance.now() - start;
  }
  const deliveries = passes * count * streams;
  const cpuMs = cpuMsOf(pid) - before.cpuMs;
  const { bytes } = await pool.count();
  return {
    perSecond: (deliveries * 1000) / ms,
    cpuMicroseconds: (cpuMs * 1000) / deliveries,
    bytes: (bytes - before.bytes) / deliveries,
  };
}
