/**
 * Stops a gateway with thousands of streams, and measures how soon they are back at the other one. It compares the
 * duration of reads there, before and meanwhile.
 */
import { runCrowd } from '../test/soak/crowd.ts';
import { print, readNumbers } from './command-line.ts';
import { formatDurations } from './statistics.ts';

const defaults = { streams: 5000, rate: 20, seconds: 10, processes: 2 };
const { streams, rate, seconds, processes } = readNumbers(defaults);
const report = await runCrowd({
  streams,
  rate,
  readerProcesses: processes,
  calmMs: seconds * 1000,
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
