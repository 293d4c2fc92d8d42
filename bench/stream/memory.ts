/** Measures the memory of an idle stream in a gateway, beside a bare `node:http` server that holds a response. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../../test/helpers/service/system.ts';
import { formatSpread } from '../statistics.ts';
import { residentBytesOf } from './process-usage.ts';
import { ReaderPool } from './reader-pool.ts';

const STREAMS = 5000;
/** Long enough to collect the garbage of opening the streams, and for two heartbeats, in milliseconds. */
const SETTLE_MS = 15_000;

/** @param rounds the number of measurements of both, each time with new servers */
export async function benchMemory(rounds: number, print: (line: string) => void): Promise<void> {
  const own: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const system = await startSystem({ STREAM_HEARTBEAT_MS: '5000' });
    own.push(await measure(system.gatewayPid, Number(new URL(system.base).port), '/v1/stream', system.key));
    await system.stop();
    const server = fork('bench/stream/bare-server.ts');
    const [{ port }] = await once(server, 'message');
    bare.push(await measure(server.pid ?? 0, port, '/', ''));
    server.kill();
  }
  print(`resident memory a stream of ${STREAMS} idle ones: middle (lowest to highest) of ${rounds} rounds`);
  print(`  the gateway: ${formatSpread(own)} KiB`);
  print(`  a bare server: ${formatSpread(bare)} KiB`);
}

/**
 * KiB a stream. As many streams are opened first, to exclude memory that grows only once: V8 enlarges the space of new
 * objects while the first thousands open.
 */
async function measure(pid: number, port: number, path: string, key: string): Promise<number> {
  const open = (count: number) => ReaderPool.open({ port, key, paths: Array(count).fill(path) });
  const first = await open(STREAMS);
  await sleep(SETTLE_MS);
  const before = residentBytesOf(pid);
  const rest = await open(STREAMS);
  await sleep(SETTLE_MS);
  const bytes = residentBytesOf(pid) - before;
  first.close();
  rest.close();
  return bytes / STREAMS / 1024;
}
