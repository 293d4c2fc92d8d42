/*
 * Measures the deliveries a second of a gateway to streams that match everything, beside a bare `node:http` server that
 * writes the same bytes in the same turns, and beside nchan if it is installed. Each round publishes some changes
 * together and ends when all readers have them.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Change } from '../../schemas/change.ts';
import { startSystem } from '../../test/helpers/system.ts';
import { formatSpread } from '../statistics.ts';
import { startNchan } from './nchan.ts';
import { cpuMsOf } from './process-usage.ts';
import { Publisher, renderFrames } from './publisher.ts';
import { ReaderPool } from './reader-pool.ts';

interface Contestant {
  name: string;
  pid: number;
  port: number;
  path: string;
  deliver(changes: Change[]): Promise<void>;
}

interface Measured {
  perSecond: number;
  cpuMicroseconds: number;
}

const STREAMS = 1000;
const CHANGES = 20;
const PASSES = 100;

/** @param rounds the number of times that each server is measured, in turn */
export async function benchFanOut(rounds: number, print: (line: string) => void): Promise<void> {
  const system = await startSystem();
  const publisher = await Publisher.open(system);
  const bare = fork('bench/stream/bare-server.ts');
  const [{ port: barePort }] = await once(bare, 'message');
  const nchan = await startNchan();
  const contestants: Contestant[] = [
    {
      name: 'the gateway',
      pid: system.gatewayPid,
      port: Number(new URL(system.base).port),
      path: '/v1/stream',
      deliver: (changes) => publisher.send(changes),
    },
    {
      name: 'a bare server',
      pid: bare.pid ?? 0,
      port: barePort,
      path: '/',
      deliver: async (changes) => void bare.send(renderFrames(changes).toString()),
    },
  ];
  if (nchan) {
    const deliver = async (changes: Change[]) => {
      for (const change of changes) await nchan.publish(JSON.stringify(change));
    };
    contestants.push({ name: 'nchan', pid: nchan.pid, port: nchan.port, path: '/stream', deliver });
  }

  const results = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]));
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    for (const contestant of contestants) {
      const { port, path } = contestant;
      const pool = await ReaderPool.open({ port, key: system.key }, Array(STREAMS).fill(path));
      const measured = await measure(contestant, pool, publisher);
      pool.close();
      if (round >= 0) results.get(contestant.name)?.push(measured);
    }
  }
  print(`${STREAMS} streams, ${CHANGES} changes at a time: middle (lowest to highest) of ${rounds} rounds`);
  const [own = []] = results.values();
  for (const [name, measured] of results) {
    const perSecond = formatSpread(
      measured.map((each) => each.perSecond),
      0,
    );
    const cpu = formatSpread(
      measured.map((each) => each.cpuMicroseconds),
      2,
    );
    print(`  ${name}: ${perSecond} deliveries/s, ${cpu} µs of processor time each`);
    if (measured === own) continue;
    const ratio = own.map((each, index) => each.perSecond / (measured[index]?.perSecond ?? Number.NaN));
    const cpuRatio = own.map(
      (each, index) => (measured[index]?.cpuMicroseconds ?? Number.NaN) / each.cpuMicroseconds,
    );
    print(
      `  the gateway to ${name}: ${formatSpread(ratio, 2)} in deliveries/s, ${formatSpread(cpuRatio, 2)} by processor time`,
    );
  }
  await nchan?.stop();
  bare.kill();
  await publisher.close();
  await system.stop();
}

async function measure(
  { pid, deliver }: Contestant,
  pool: ReaderPool,
  publisher: Publisher,
): Promise<Measured> {
  const before = cpuMsOf(pid);
  let ms = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const changes = publisher.make(CHANGES, 0);
    const { received } = await pool.expect(changes.at(-1)?.id ?? '');
    const start = performance.now();
    await deliver(changes);
    await received;
    ms += performance.now() - start;
  }
  const deliveries = PASSES * CHANGES * STREAMS;
  return {
    perSecond: (deliveries * 1000) / ms,
    cpuMicroseconds: ((cpuMsOf(pid) - before) * 1000) / deliveries,
  };
}
