/*
 * Plans the service for a load from measured costs: `npm run bench -- scale --streams 1000000 --changes 10000 --reads 50000`.
 * docs/scaling.md explains the model.
 */
import { parseArgs } from 'node:util';
import { MEASURED } from './scaling/costs.ts';
import { plan } from './scaling/model.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '100' },
    match: { type: 'string', default: '0.01' },
    reads: { type: 'string', default: '1000' },
    kept: { type: 'string', default: '0.9' },
    leased: { type: 'string', default: '0' },
    gzip: { type: 'boolean', default: false },
  },
});

function number(name: 'streams' | 'changes' | 'match' | 'reads' | 'kept' | 'leased', max: number): number {
  const value = Number(values[name]);
  if (value >= 0 && value <= max) return value;
  process.stderr.write(`--${name} must be a number from 0 to ${max}, is "${values[name]}".\n`);
  process.exit(1);
}

const load = {
  streams: number('streams', 1e9),
  changesPerSecond: number('changes', 1e6),
  match: number('match', 1),
  readsPerSecond: number('reads', 1e7),
  kept: number('kept', 1),
  leased: number('leased', 1),
  gzip: values.gzip,
};
const show = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
try {
  const planned = plan(load, MEASURED);
  const lines: [string, string][] = [
    ['events delivered a second', show(planned.deliveriesPerSecond)],
    ['writes to sockets a second', show(planned.writesPerSecond)],
    ['gateway processes, a core each', show(planned.gatewayProcesses)],
    ['streams of each', show(planned.streamsEach)],
    ['memory of all gateways', `${show(planned.gatewayMemoryGib)} GiB`],
    ['cores of Postgres for reads', show(planned.readCores)],
    ['replicas of 16 cores for them', show(planned.replicas)],
    ['cores of the primary for changes and leases', show(planned.primaryCores)],
    ['connections to the primary', show(planned.postgresConnections)],
    ['cores of the brokers', show(planned.brokerCores)],
    ['to clients', `${show(planned.toClients)} Gbit/s`],
    ['from brokers to gateways', `${show(planned.fromBrokers)} Gbit/s`],
  ];
  for (const [name, value] of lines) process.stdout.write(`${name.padEnd(46)} ${value}\n`);
  process.stdout.write('\nthe parts that cannot be divided, and how much of them the load takes:\n');
  for (const { part, used } of planned.bottlenecks) {
    const percent = `${show(used * 100)} %`;
    process.stdout.write(`  ${part.padEnd(52)} ${percent}${used > 1 ? '  does not fit' : ''}\n`);
  }
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
