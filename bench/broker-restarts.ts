/**
 * Restarts three brokers one after another under load. It measures the delay of changes meanwhile and the answers to
 * requests, and compares every stream with the change log.
 */
import { runBrokerRestarts } from '../test/soak/broker-restarts.ts';
import { print, readNumbers } from './command-line.ts';
import { formatDurations } from './statistics.ts';

const defaults = { streams: 200, rate: 50, seconds: 10, processes: 1 };
const { streams, rate, seconds, processes } = readNumbers(defaults);
const report = await runBrokerRestarts({
  streams,
  rate,
  readerProcesses: processes,
  calmMs: seconds * 1000,
  report: print,
});

for (const { broker, durationMs, changes, answers } of report.stretches) {
  const name = broker === 0 ? 'no restart' : `broker ${broker}, ${(durationMs / 1000).toFixed(1)} s`;
  print(`${name}, ${changes.length} changes`);
  const acknowledged = changes.map(({ acknowledgedAt, dueAt }) => acknowledgedAt - dueAt);
  const received = changes.map(({ receivedAt, dueAt }) => receivedAt - dueAt);
  print(`  acknowledged by Kafka   ${formatDurations(acknowledged)}`);
  print(`  at a client             ${formatDurations(received)}`);
  for (const [path, counts] of Object.entries(answers)) print(`  ${path}   ${JSON.stringify(counts)}`);
}
print(`changes in the log        ${report.changes}`);
print(`changes received          ${report.events}, ${report.repeats} of them repeated`);
print(`connections               ${report.connections} of ${streams} streams`);
print(`answered with an error    ${JSON.stringify(report.refusals)}`);
for (const fault of report.faults) print(`FAULT ${fault}`);
process.exit(report.faults.length === 0 ? 0 : 1);
