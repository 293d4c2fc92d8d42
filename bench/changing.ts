/*
 * Measures read requests while endorsements all over the country change: without changes, and at each rate of
 * `--rates`, in turn. At the last rate, a server of Fastify and postgres.js is measured too, with the same SQL for each
 * answer, and with answers that it keeps for a second where requests repeat. `--before FOLDER` measures the gateway of
 * another checkout in the same rounds. `--beside 330` also measures without changes, beside processes that take 330 ms
 * of processor time a second: this tells the cost of sharing the machine from that of the changes. It runs on a loaded
 * store: DATABASE_URL and KAFKA_BROKERS, or a running service's DATA_DIR. Its consumers must be running.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createKey } from '../ops/commands/keys.ts';
import { createConfig as createOpsConfig } from '../ops/config.ts';
import { readEnv } from '../service/running-service.ts';
import { Baseline } from './baseline.ts';
import { ChangingEndorsements } from './changing/endorsements.ts';
import { besideOtherWork } from './changing/other-work.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { measureCost, type Target, WARM_UP_SECONDS } from './load.ts';
import { formatSpread, spreadOf } from './statistics.ts';

/** The endorsers of a request for recommendations by random endorsers. */
const RANDOM_ENDORSERS = 5;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8' },
    rates: { type: 'string', default: '1,20' },
    only: { type: 'string', default: '' },
    before: { type: 'string' },
    beside: { type: 'string' },
  },
});
const load = { seconds: Number(values.seconds), connections: Number(values.connections) };
const rates = [0, ...values.rates.split(',').map(Number)];
const rounds = Number(values.rounds);

const config = createOpsConfig(readEnv(process.env));
const { databaseUrl } = config;
// Each connection has an account of its own, because recommendations have a share for each.
const keys = await Promise.all(
  Array.from({ length: load.connections }, (_, n) =>
    createKey({ databaseUrl, account: `bench-${n}`, plan: 'internal' }),
  ),
);
const authorize = (connection: number) => ({ Authorization: `Bearer ${keys[connection]}` });
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const changes = await ChangingEndorsements.open(client, config);
const baseline = new Baseline(databaseUrl);
const gateways = new Map<string, GatewayProcess>([['this version', await startGatewayProcess(config)]]);
if (values.before !== undefined)
  gateways.set('the version before', await startGatewayProcess(config, {}, values.before));

type MakePath = () => string;

async function findRequests(): Promise<Record<string, MakePath>> {
  const { rows } = await client.query<{ slug: string }>('SELECT slug FROM endorsers');
  const random = (state: string) => () => {
    const chosen = Array.from(
      { length: RANDOM_ENDORSERS },
      () => rows[Math.floor(Math.random() * rows.length)]?.slug,
    );
    return `/v1/recommendations?state=${state}&endorsers=${[...new Set(chosen)].join(',')}`;
  };
  const contest = await client.query<{ id: number }>(
    `SELECT c.id FROM contests c JOIN elections l ON l.id = c.election_id WHERE l.state = 'WY' AND c.removed_at IS NULL
     ORDER BY (SELECT count(*) FROM endorsements n WHERE n.contest_id = c.id) DESC LIMIT 1`,
  );
  return {
    'recommendations of WY': () => '/v1/recommendations?state=WY',
    'recommendations of WY by random endorsers': random('WY'),
    'recommendations of CA': () => '/v1/recommendations?state=CA',
    'recommendations of CA by random endorsers': random('CA'),
    coverage: () => '/v1/coverage',
    'endorsements of WY': () => '/v1/endorsements?states=WY&limit=100',
    endorsers: () => '/v1/endorsers?limit=100',
    'a contest of WY': () => `/v1/contests/${contest.rows[0]?.id}`,
  };
}

const target = (base: string, makePath: MakePath): Target => ({
  url: base,
  next: (connection) => ({ path: makePath(), headers: authorize(connection) }),
});

type Round = Awaited<ReturnType<typeof measureCost>>;

async function compare(name: string, makePath: MakePath): Promise<void> {
  const path = makePath();
  const { memory, sql, cached } = await baseline.targetsOf(path);
  const repeats = makePath() === path;
  const peers = { 'Fastify and postgres.js': sql, ...(repeats && { 'with answers of a second': cached }) };
  const lastRate = rates.at(-1) ?? 0;
  const measured = new Map<string, Round[]>();
  const measure = async (label: string, asked: Target, pid: number, warm: boolean) => {
    const result = await measureCost(pid, asked, load);
    if (!warm) measured.set(label, [...(measured.get(label) ?? []), result]);
  };
  for (let round = -1; round < rounds; round += 1) {
    await measure('memory', memory, baseline.pid, round < 0);
    // The order changes with each round, because a place in the order can be an advantage.
    const ordered = round % 2 === 0 ? [...gateways] : [...gateways].reverse();
    for (const [gateway, { base, pid }] of ordered) {
      for (const rate of rates)
        await changes.during(rate, () =>
          measure(`${gateway}, ${rate}/s`, target(base, makePath), pid, round < 0),
        );
      if (values.beside !== undefined) {
        await besideOtherWork(Number(values.beside), () =>
          measure(`${gateway}, beside other work`, target(base, makePath), pid, round < 0),
        );
      }
    }
    for (const [peer, asked] of Object.entries(peers))
      await changes.during(lastRate, () => measure(`${peer}, ${lastRate}/s`, asked, baseline.pid, round < 0));
  }
  process.stdout.write(`${name}: ${path}\n`);
  for (const [label, each] of measured) {
    const quiet = measured.get(label.replace(/, .*/, ', 0/s'));
    const ratio = (other: Round[] | undefined) => each.map(({ rate }, n) => rate / (other?.[n]?.rate ?? 0));
    const show = (pick: (round: Round) => number, digits: number) => spreadOf(each, pick, digits);
    const line = [
      `${show(({ rate }) => rate, 0)}/s`,
      `p50 ${show(({ p50 }) => p50, 0)} ms`,
      `p99 ${show(({ p99 }) => p99, 0)} ms`,
      `processor ${show(({ cpuMicroseconds }) => cpuMicroseconds / 1000, 2)} ms`,
      `of memory ${formatSpread(ratio(measured.get('memory')), 2)}`,
      ...(quiet && quiet !== each ? [`of quiet ${formatSpread(ratio(quiet), 2)}`] : []),
    ];
    process.stdout.write(`  ${label.padEnd(31)} ${line.join(', ')}\n`);
  }
}

try {
  const requests = Object.entries(await findRequests()).filter(([name]) => name.includes(values.only));
  for (const { base, pid } of gateways.values()) {
    for (const [, makePath] of requests)
      await measureCost(pid, target(base, makePath), { ...load, seconds: WARM_UP_SECONDS / requests.length });
  }
  process.stdout.write(
    `middle (lowest to highest) of ${rounds} rounds of ${load.seconds} s, ${load.connections} connections\n`,
  );
  for (const [name, paths] of requests) await compare(name, paths);
} finally {
  await changes.close();
  await client.end();
  baseline.stop();
  for (const gateway of gateways.values()) await gateway.stop();
}
process.exit(0);
