/**
 * `npm run test:soak [-- --minutes N --streams N --rate N]`: runs a whole service under load and among hostile
 * producers. It edits the catalogue, adds partitions in the middle, kills the gateways, consumers and broker
 * repeatedly, sets their clocks wrong, and cuts and pauses streams. Other clients vanish and return, read slowly or
 * never, and flood. Receivers of webhooks answer well, slowly, with errors, or not to the end. With --rotate SECONDS it
 * also replaces all certificates. It ends with a verdict. The exit status is 1 if any reader or receiver got anything but
 * the change log or kept a copy that differs from the reads, if a vanished client was locked out, if an ordinary read
 * failed, or if a gateway used more than 700 MB.
 */
import { parseArgs } from 'node:util';
import { formatDurations } from '../../bench/statistics.ts';
import { runSoak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    streams: { type: 'string', default: '200' },
    rate: { type: 'string', default: '50' },
    /** Seconds between kills. */
    kill: { type: 'string', default: '15' },
    /** Seconds before a connection is cut or paused. */
    cut: { type: 'string', default: '30' },
    processes: { type: 'string', default: '2' },
    /** Seconds between rotations of all certificates, on three secured brokers; without it, one broker without TLS. */
    rotate: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const started = performance.now();
print(`seed ${values.seed}`);
const report = await runSoak({
  durationMs: Number(values.minutes) * 60_000,
  streams: Number(values.streams),
  rate: Number(values.rate),
  killEveryMs: Number(values.kill) * 1000,
  cutMs: Number(values.cut) * 1000,
  readerProcesses: Number(values.processes),
  seed: Number(values.seed),
  hasBadClients: true,
  ...(values.rotate !== undefined && { rotateEveryMs: Number(values.rotate) * 1000 }),
  report: (line) => print(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}`),
});
print(`changes in the log      ${report.changes}`);
print(`changes received        ${report.events}, ${report.repeats} of them repeated`);
print(`copies compared         ${report.copies}, after ${report.edits} edits of the catalogue`);
print(`mirrors verified        ${report.mirrors}, by digest and list`);
const { webhooks, messages, repeats } = report.webhooks;
print(`webhooks                ${webhooks}, with ${messages} messages, ${repeats} of them repeated`);
print(`connections             ${report.connections} of ${values.streams} streams`);
print(`partitions of changes   ${report.partitions} since the middle`);
print(
  `kill -9                 ${Object.entries(report.kills)
    .map(([who, times]) => `${who} ${times}`)
    .join(', ')}`,
);
if (values.rotate !== undefined) print(`rotations               ${report.rotations} of all certificates`);
print(`hostile producers       ${JSON.stringify(report.hostile)}`);
print(`answered with an error  ${JSON.stringify(report.refusals)}`);
if (report.badClients) {
  const { greedy, returns, reads } = report.badClients;
  print(`slow and flooding       ${JSON.stringify(greedy)}`);
  print(`returns of vanished     ${formatDurations(returns)}`);
  print(`ordinary reads          ${formatDurations(reads)}`);
}
print(`memory of gateways      at most ${report.peakMb.toFixed(0)} MB`);
for (const { gateway, minutes, firstMb, lastMb, mbPerMinute } of report.memory) {
  print(
    `memory of gateway ${gateway}     ${firstMb.toFixed(0)} MB a minute after its start, ${lastMb.toFixed(0)} MB ` +
      `${minutes.toFixed(1)} minutes later: ${mbPerMinute.toFixed(2)} MB a minute`,
  );
}
for (const fault of report.faults) print(`FAULT ${fault}`);
print(
  report.faults.length === 0
    ? 'Every reader received what the change log says, and every copy equals the reads.'
    : 'The stream failed.',
);
process.exit(report.faults.length === 0 ? 0 : 1);
