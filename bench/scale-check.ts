/**
 * Compares the model of `bench/scaling/model.ts` with a running gateway: processor time and memory at some points of
 * operation. The model's costs come from other benchmarks, at other points.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../test/helpers/service/system.ts';
import { readNumbers } from './command-line.ts';
import { MEASURED } from './scaling/costs.ts';
import { formatSpread, spreadOf } from './statistics.ts';
import { cpuMsOf, residentBytesOf } from './stream/process-usage.ts';
import { Publisher } from './stream/publisher.ts';
import { ReaderPool } from './stream/reader-pool.ts';

/** The number of streams that match everything, of changes at a time, and of such times a second. */
const POINTS = [
  { streams: 300, together: 1, perSecond: 40 },
  { streams: 1000, together: 5, perSecond: 10 },
  { streams: 3000, together: 2, perSecond: 4 },
];
const SECONDS = 8;
const SETTLE_MS = 3000;

const { rounds } = readNumbers({ rounds: 3 });

/** The share of a core that the model expects. */
function expectShare({ streams, together, perSecond }: (typeof POINTS)[number]): number {
  const { write, change, stream } = MEASURED;
  const writeUs = write.baseUs + (together * change.eventBytes * write.kilobyteUs) / 1024;
  const heartbeatUs = (streams / stream.heartbeatSeconds) * write.baseUs;
  return (streams * perSecond * writeUs + together * perSecond * change.gatewayUs + heartbeatUs) / 1e6;
}

const system = await startSystem();
const publisher = await Publisher.open(system);
const port = Number(new URL(system.base).port);
const pid = system.gatewayPid;
for (const point of POINTS) {
  const shares: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idleBefore = cpuMsOf(pid);
    await sleep(SETTLE_MS);
    const idle = (cpuMsOf(pid) - idleBefore) / SETTLE_MS;
    const resident = residentBytesOf(pid);
    const pool = await ReaderPool.open({
      port,
      key: system.key,
      paths: Array(point.streams).fill('/v1/stream'),
    });
    await sleep(SETTLE_MS);
    memory.push((residentBytesOf(pid) - resident) / point.streams / 1024);
    const before = { cpuMs: cpuMsOf(pid), at: performance.now() };
    for (let turn = 1; turn <= SECONDS * point.perSecond; turn += 1) {
      await publisher.send(publisher.make(point.together));
      await sleep(Math.max(0, before.at + (turn * 1000) / point.perSecond - performance.now()));
    }
    shares.push((cpuMsOf(pid) - before.cpuMs) / (performance.now() - before.at) - idle);
    pool.close();
    await sleep(SETTLE_MS);
  }
  const expected = expectShare(point);
  process.stdout.write(
    `${point.streams} streams, ${point.perSecond} times a second ${point.together} changes: ` +
      `${formatSpread(shares, 3)} of a core, the model says ${expected.toFixed(3)}, ` +
      `ratio ${spreadOf(shares, (share) => share / expected, 2)}; ` +
      `${formatSpread(memory)} KiB a stream that was opened now, the model says ${MEASURED.stream.memoryKib}\n`,
  );
}
await publisher.close();
await system.stop();
process.exit(0);
