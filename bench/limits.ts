/*
 * Measures the cost of keys and limits: the same route of the same application with both and without, each in a process
 * of its own. They take many short turns, so that other load on the machine meets both alike. The account's plan has
 * limits that are never reached, so that leases are taken from Postgres as in production. It runs on an existing store:
 * DATABASE_URL, or a running service's DATA_DIR.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { createKey } from '../ops/commands/keys.ts';
import { createDatabaseConfig } from '../ops/config.ts';
import { inOneTransaction } from '../ops/database.ts';
import { readEnv } from '../service/running-service.ts';
import { askTimes } from './load.ts';
import { formatMiddleHalf } from './statistics.ts';

const PATHS = ['/v1/states', '/v1/endorser-categories', '/v1/elections?limit=20'];
const PLAN = 'bench';
/** Code that is not compiled yet costs several times as much, and the larger server has more of it. */
const WARM_UP_REQUESTS = 15_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    requests: { type: 'string', default: '300' },
    connections: { type: 'string', default: '8' },
  },
});
const requests = Number(values.requests);
const agent = new Agent({ keepAlive: true, maxSockets: Number(values.connections) });
const { databaseUrl } = createDatabaseConfig(readEnv(process.env));
await inOneTransaction(databaseUrl, (client) =>
  client.query(
    `INSERT INTO plans (name, requests_per_minute, requests_per_day, max_streams)
     VALUES ($1, 1000000000, 1000000000, 100) ON CONFLICT DO NOTHING`,
    [PLAN],
  ),
);
const key = await createKey({ databaseUrl, account: 'bench-limits', plan: PLAN });
const headers = { Authorization: `Bearer ${key}` };

async function startServer(limited: boolean) {
  const child = fork('bench/limits-server.ts');
  child.send({ databaseUrl, limited });
  const [{ port }] = await once(child, 'message');
  return { child, base: `http://127.0.0.1:${port}` };
}

type Server = Awaited<ReturnType<typeof startServer>>;

interface Cost {
  /** Requests a second. */
  rate: number;
  /** Processor time for one request, in microseconds; a busy machine changes it least. */
  usage: number;
}

async function readUsage({ child }: Server): Promise<number> {
  child.send({});
  const [{ usage }] = await once(child, 'message');
  return usage;
}

async function measure(server: Server, path: string): Promise<Cost> {
  const before = await readUsage(server);
  const start = performance.now();
  await askTimes(requests, { url: `${server.base}${path}`, headers, agent });
  const rate = (requests * 1000) / (performance.now() - start);
  return { rate, usage: ((await readUsage(server)) - before) / requests };
}

const limited = await startServer(true);
const open = await startServer(false);
const answer = await fetch(`${limited.base}${PATHS[0]}`, { headers });
if (!answer.headers.has('ratelimit-remaining')) throw new Error('The answers have no limits.');

for (const { base } of [limited, open]) {
  await askTimes(WARM_UP_REQUESTS, { url: `${base}${PATHS[0]}`, headers, agent });
}

process.stdout.write('middle (and the middle half) of the rounds\n');
for (const path of PATHS) {
  const rounds: { with: Cost; without: Cost }[] = [];
  for (let round = -1; round < Number(values.rounds); round += 1) {
    // In turns, and each of the two first every other time, so that the machine treats both alike.
    const [first, second] = round % 2 === 0 ? [limited, open] : [open, limited];
    const costs = new Map([[first, await measure(first, path)]]);
    costs.set(second, await measure(second, path));
    const [limitedCost, openCost] = [costs.get(limited), costs.get(open)];
    if (round >= 0 && limitedCost && openCost) rounds.push({ with: limitedCost, without: openCost });
  }
  const show = (pick: (round: (typeof rounds)[number]) => number, digits: number) =>
    formatMiddleHalf(rounds.map(pick), digits);
  process.stdout.write(
    `${path}\n` +
      `  with keys and limits ${show((round) => round.with.rate, 0)}/s, ` +
      `without ${show((round) => round.without.rate, 0)}/s, ` +
      `ratio ${show((round) => round.with.rate / round.without.rate, 3)}\n` +
      `  processor time of a request ${show((round) => round.with.usage, 0)} and ` +
      `${show((round) => round.without.usage, 0)} us, ` +
      `ratio ${show((round) => round.without.usage / round.with.usage, 3)}\n`,
  );
}
for (const { child } of [limited, open]) child.kill('SIGTERM');
process.exit(0);
