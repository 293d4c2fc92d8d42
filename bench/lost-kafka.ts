/**
 * Loses Kafka with all of its data under load. It measures how soon the stream continues, and compares every stream
 * with the change log.
 */
import { parseArgs } from 'node:util';
import { runLostKafka } from '../test/soak/lost-kafka.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    history: { type: 'string', default: '20000' },
    rate: { type: 'string', default: '50' },
    /** Seconds before a connection is cut or paused. */
    cut: { type: 'string', default: '10' },
    processes: { type: 'string', default: '2' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const report = await runLostKafka({
  streams: Number(values.streams),
  history: Number(values.history),
  rate: Number(values.rate),
  cutMs: Number(values.cut) * 1000,
  readerProcesses: Number(values.processes),
  report: print,
});
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
print(`a new Kafka with topics   ${seconds(report.topicsMs)} after the old one died`);
print(`the window written again  ${seconds(report.rebuiltMs)}`);
print(`a new change              ${seconds(report.firstChangeMs)}`);
print(`changes in the log        ${report.changes}`);
print(`changes received          ${report.events}, ${report.repeats} of them repeated`);
print(`copies compared           ${report.copies}`);
print(`connections               ${report.connections} of ${values.streams} streams`);
print(`answered with an error    ${JSON.stringify(report.refusals)}`);
for (const fault of report.faults) print(`FAULT ${fault}`);
process.exit(report.faults.length === 0 ? 0 : 1);
