/**
 * Stops a gateway with thousands of streams, and measures how soon they are back at the other one. It compares the
 * duration of reads there, before and meanwhile.
 */
import { parseArgs } from 'node:util';
import { runCrowd } from '../test/soak/crowd.ts';
import { summarize } from './statistics.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '5000' },
    rate: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '10' },
    processes: { type: 'string', default: '2' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const report = await runCrowd({
  streams: Number(values.streams),
  rate: Number(values.rate),
  readerProcesses: Number(values.processes),
  calmMs: Number(values.seconds) * 1000,
  report: print,
});
const describe = (times: number[]) => {
  const { median, p99 } = summarize(times);
  const longest = times.reduce((most, time) => Math.max(most, time), 0);
  return `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms of ${times.length}`;
};
print(`gateway stopped after     ${(report.stoppedMs / 1000).toFixed(1)} s`);
print(`all streams back after    ${(report.returnedMs / 1000).toFixed(1)} s`);
print(`reads before              ${describe(report.readsBefore)}`);
print(`reads while they came     ${describe(report.readsDuring)}`);
print(
  `changes received          ${report.events}, ${report.faults.length} faults ${JSON.stringify(report.refusals)}`,
);
for (const fault of report.faults) print(`FAULT ${fault}`);
process.exit(report.faults.length === 0 ? 0 : 1);
