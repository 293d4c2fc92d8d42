/**
 * Stops a gateway with thousands of streams, and measures how soon they are back at the other one. It compares the
 * duration of reads there, before and meanwhile.
 */
import { parseArgs } from 'node:util';
import { runCrowd } from '../test/soak/crowd.ts';
import { formatDurations } from './statistics.ts';

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
print(`gateway stopped after     ${(report.stoppedMs / 1000).toFixed(1)} s`);
print(`all streams back after    ${(report.returnedMs / 1000).toFixed(1)} s`);
print(`reads before              ${formatDurations(report.readsBefore)}`);
print(`reads while they came     ${formatDurations(report.readsDuring)}`);
print(
  `changes received          ${report.events}, ${report.faults.length} faults ${JSON.stringify(report.refusals)}`,
);
for (const fault of report.faults) print(`FAULT ${fault}`);
process.exit(report.faults.length === 0 ? 0 : 1);
