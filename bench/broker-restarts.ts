/**
 * Restarts three brokers one after another under load. It measures the delay of changes meanwhile and the answers to
 * requests, and compares every stream with the change log.
 */
import { parseArgs } from 'node:util';
import { runBrokerRestarts } from '../test/soak/broker-restarts.ts';
import { formatDurations } from './statistics.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '200' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '10' },
    processes: { type: 'string', default: '1' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const report = await runBrokerRestarts({
  streams: Number(values.streams),
  rate: Number(values.rate),
  readerProcesses: Number(values.processes),
  calmMs: Number(values.seconds) * 1000,
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
print(`connections               ${report.connections} of ${values.streams} streams`);
print(`answered with an error    ${JSON.stringify(report.refusals)}`);
for (const fault of report.faults) print(`FAULT ${fault}`);
process.exit(report.faults.length === 0 ? 0 : 1);
