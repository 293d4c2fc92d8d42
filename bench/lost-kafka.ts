/**
 * Loses Kafka with all of its data under load. It measures how soon the stream continues, and compares every stream
 * with the change log.
 */
import { runLostKafka } from '../test/soak/lost-kafka.ts';
import { print, readNumbers } from './command-line.ts';

/** `cut` is in seconds before a connection is cut or paused. */
const defaults = { streams: 2000, history: 20_000, rate: 50, cut: 10, processes: 2 };
const { streams, history, rate, cut, processes } = readNumbers(defaults);
const report = await runLostKafka({
  streams,
  history,
  rate,
  cutMs: cut * 1000,
  readerProcesses: processes,
  report: print,
});
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
print(`a new Kafka with topics   ${seconds(report.topicsMs)} after the old one died`);
print(`the window written again  ${seconds(report.rebuiltMs)}`);
print(`a new change              ${seconds(report.firstChangeMs)}`);
print(`changes in the log        ${report.changes}`);
print(`changes received          ${report.events}, ${report.repeats} of them repeated`);
print(`copies compared           ${report.copies}`);
print(`connections               ${report.connections} of ${streams} streams`);
print(`answered with an error    ${JSON.stringify(report.refusals)}`);
for (const fault of report.faults) print(`FAULT ${fault}`);
process.exit(report.faults.length === 0 ? 0 : 1);
