/**
 * Measures the processor time of an answer to `/v1/states`, layer by layer. The baseline's layers are the bytes from
 * memory and the same SQL. The gateway's layers are any request, a request with a key, a kept answer, and a new answer.
 * It runs on a loaded store: DATABASE_URL and KAFKA_BROKERS, or a running service's DATA_DIR.
 */
import { Baseline } from './baseline.ts';
import { print, readNumbers } from './command-line.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { measureCost, type Target, WARM_UP_SECONDS } from './load.ts';
import { openStore } from './open-store.ts';
import { formatSpread } from './statistics.ts';

const PATH = '/v1/states';
const CONNECTIONS = 8;

const options = readNumbers({ seconds: 2, rounds: 5 });

const { config, headers } = await openStore();
const keeping = await startGatewayProcess(config);
const forgetful = await startGatewayProcess(config, { RESPONSE_MEMORY_MB: '0' });
const baseline = new Baseline(config.databaseUrl);
const { memory, sql } = await baseline.targetsOf(PATH);

interface Layer {
  name: string;
  pid: number;
  target: Target;
}

const gatewayLayer = (
  name: string,
  { base, pid }: typeof keeping,
  path: string,
  statuses?: number[],
): Layer => ({
  name: `the gateway: ${name}`,
  pid,
  target: { url: `${base}${path}`, headers, ...(statuses && { statuses }) },
});

const layers: Layer[] = [
  { name: 'the baseline: the bytes from memory', pid: baseline.pid, target: memory },
  { name: 'the baseline: the same SQL', pid: baseline.pid, target: sql },
  gatewayLayer('/healthz, without a look at the key', keeping, '/healthz'),
  gatewayLayer('a path that does not exist, with a key and its limits', keeping, '/v1/nothing', [404]),
  gatewayLayer('kept', keeping, PATH),
  gatewayLayer('made anew', forgetful, PATH),
];

const costs = new Map<string, number[]>(layers.map(({ name }) => [name, []]));
for (let round = -1; round < options.rounds; round += 1) {
  const seconds = round < 0 ? WARM_UP_SECONDS / 2 : options.seconds;
  for (const { name, pid, target } of layers) {
    const { cpuMicroseconds } = await measureCost(pid, target, { connections: CONNECTIONS, seconds });
    if (round >= 0) costs.get(name)?.push(cpuMicroseconds);
  }
}

print(
  `${PATH}: processor time of an answer in microseconds, middle (lowest to highest) of ${options.rounds} rounds`,
);
for (const [name, cpu] of costs) print(`  ${name.padEnd(70)}${formatSpread(cpu)}`);
await keeping.stop();
await forgetful.stop();
baseline.stop();
process.exit(0);
