/*
 * How many requests a second the read endpoints answer, beside two baselines in the same run: a bare server that runs
 * the same SQL and writes the same bytes, and one that writes them from memory. Run it against a store that is loaded
 * already: DATABASE_URL and KAFKA_BROKERS, or a running service's DATA_DIR.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { createConfig as createOpsConfig, readEnv } from '../ops/config.ts';
import { createKey } from '../ops/keys.ts';
import { findFreePort } from '../ops/local/ports.ts';
import { recordQueries } from '../test/helpers/record-queries.ts';
import { untilReady } from '../test/helpers/system.ts';
import { formatSpread } from './statistics.ts';

const PATHS = [
  '/v1/states',
  '/v1/elections?limit=100',
  '/v1/endorser-categories',
  '/v1/endorsers?limit=100',
  '/v1/contests?states=WY&limit=50',
  '/v1/endorsements?limit=100',
  '/v1/endorsements?states=CA&categories=newspaper&limit=100',
  '/v1/coverage',
];

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
});
const { databaseUrl, brokers, topicPrefix } = createOpsConfig(readEnv(process.env));
const key = await createKey({ databaseUrl, account: 'bench', plan: 'internal' });
const port = await findFreePort();
const gateway = spawn(process.execPath, ['gateway/main.ts'], {
  env: {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: brokers.join(','),
    TOPIC_PREFIX: topicPrefix,
    PORT: String(port),
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const base = `http://127.0.0.1:${port}`;
await untilReady(base);

const cases = await Promise.all(PATHS.map((path) => recordQueries(databaseUrl, path)));
const baseline = fork('bench/baseline-server.ts');
baseline.send({ databaseUrl, cases });
const [{ port: baselinePort }] = await once(baseline, 'message');

async function measure(url: string): Promise<{ rate: number; p50: number; p99: number }> {
  const { requests, latency, non2xx } = await autocannon({
    url,
    connections: Number(values.connections),
    duration: Number(values.seconds),
    headers: { Authorization: `Bearer ${key}` },
  });
  if (non2xx > 0) throw new Error(`${url} failed ${non2xx} times.`);
  return { rate: requests.average, p50: latency.p50, p99: latency.p99 };
}

process.stdout.write(
  'requests a second, and ratios to the baselines: middle (lowest to highest) of the rounds\n',
);
for (const [index, path] of PATHS.entries()) {
  const rounds: { service: Awaited<ReturnType<typeof measure>>; sql: number; memory: number }[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({
      service: await measure(`${base}${path}`),
      sql: (await measure(`http://127.0.0.1:${baselinePort}/sql/${index}`)).rate,
      memory: (await measure(`http://127.0.0.1:${baselinePort}/memory/${index}`)).rate,
    });
  }
  const show = (pick: (round: (typeof rounds)[number]) => number, digits: number) =>
    formatSpread(rounds.map(pick), digits);
  process.stdout.write(
    `${path}\n` +
      `  service ${show(({ service }) => service.rate, 0)}/s, p50 ${show(({ service }) => service.p50, 0)} ms, ` +
      `p99 ${show(({ service }) => service.p99, 0)} ms, ${cases[index]?.body.length} bytes\n` +
      `  ratio to the same SQL and bytes ${show(({ service, sql }) => service.rate / sql, 2)}, ` +
      `to the bytes from memory ${show(({ service, memory }) => service.rate / memory, 2)}\n`,
  );
}
gateway.kill('SIGTERM');
baseline.kill('SIGTERM');
await once(gateway, 'exit');
process.exit(0);
