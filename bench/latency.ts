/**
 * Measures the time from the submission of a change to its arrival at a Server-Sent Events client: through Kafka, the
 * apply consumer, Postgres, the relay, Kafka again and the gateway. In turn with it, it measures Kafka alone, from a
 * producer to a fetch of a record of the same size. Each change waits for the arrival of the one before; with `--rate`,
 * changes come at that rate a second. With `--replicas`, changes also wait for this number of Postgres replicas. With
 * `--cluster`, Kafka has three brokers instead of one.
 */
import { parseArgs } from 'node:util';
import { withClient } from '../test/helpers/postgres/with-client.ts';
import { startSystem } from '../test/helpers/service/system.ts';
import { until } from '../test/helpers/until.ts';
import { formatSpread } from './statistics.ts';
import { LatencyBench, type LatencyRound } from './stream/latency.ts';

/** Waits until changes wait for this number of replicas. */
async function untilInUse(databaseUrl: string, replicas: number): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const inUse = async () => (await client.query('SELECT FROM read_replicas WHERE in_use')).rowCount ?? 0;
    await until(`${replicas} replicas are in use`, async () => (await inUse()) === replicas);
  });
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string' },
    replicas: { type: 'string', default: '0' },
    cluster: { type: 'boolean', default: false },
  },
});
const count = Number(values.count);
const rate = values.rate === undefined ? null : Number(values.rate);
const replicas = Number(values.replicas);
const system = await startSystem({}, { replicas, cluster: values.cluster });
try {
  await untilInUse(system.databaseUrl, replicas);
  const bench = await LatencyBench.open(system);
  const rounds: LatencyRound[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1)
    rounds.push(await bench.measure(count, rate));
  printRounds(rounds);
  await bench.close();
} finally {
  await system.stop();
}
process.exit(0);

function printRounds(rounds: readonly LatencyRound[]): void {
  const line = (name: string, pick: (round: LatencyRound) => number) =>
    process.stdout.write(`${name.padEnd(52)}${formatSpread(rounds.map(pick))}\n`);
  const pace = rate === null ? '' : `, ${rate} a second`;
  const waiting = replicas === 0 ? '' : `, ${replicas} replicas in use`;
  process.stdout.write(
    `${count} changes a round${pace}${waiting}, ${rounds.length} rounds: middle (lowest to highest) of the rounds\n`,
  );
  line('submission to SSE client, median, ms', ({ service }) => service.median);
  line('submission to SSE client, 99th percentile, ms', ({ service }) => service.p99);
  line('Kafka alone, produce to fetch, median, ms', ({ kafka }) => kafka.median);
  line('Kafka alone, produce to fetch, 99th percentile, ms', ({ kafka }) => kafka.p99);
  line('ratio of the medians', ({ service, kafka }) => service.median / kafka.median);
}
