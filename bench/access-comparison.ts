import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { createKey } from '../ops/commands/keys.ts';
import { createDatabaseConfig } from '../ops/config.ts';
import { inOneTransaction } from '../ops/database.ts';
import { readEnv } from '../service/running-service.ts';
import type { Variant } from './access-server.ts';
import { readNumbers } from './command-line.ts';
import { askTimes } from './load.ts';
import { formatMiddleHalf } from './statistics.ts';

const PATHS = ['/v1/states', '/v1/endorser-categories', '/v1/elections?limit=20'];
const PLAN = 'bench';
/** Uncompiled code costs several times as much, and the whole application has more code to compile. */
const WARM_UP_REQUESTS = 15_000;

interface Server {
  child: ReturnType<typeof fork>;
  base: string;
}

interface Cost {
  /** Requests a second. */
  rate: number;
  /** Processor time of one request, in microseconds, which other load changes least. */
  usage: number;
}

/** Creates a key whose plan has limits out of reach, so that leases are taken from Postgres as in production. */
async function createLimitedKey(databaseUrl: string): Promise<string> {
  await inOneTransaction(databaseUrl, (client) =>
    client.query(
      `INSERT INTO plans (name, requests_per_minute, requests_per_day, max_streams)
       VALUES ($1, 1000000000, 1000000000, 100) ON CONFLICT DO NOTHING`,
      [PLAN],
    ),
  );
  return createKey({ databaseUrl, account: 'bench-limits', plan: PLAN });
}

async function startServer(databaseUrl: string, variant: Variant): Promise<Server> {
  const child = fork('bench/access-server.ts');
  child.send({ databaseUrl, variant });
  const [{ port }] = await once(child, 'message');
  return { child, base: `http://127.0.0.1:${port}` };
}

async function readUsage({ child }: Server): Promise<number> {
  child.send({});
  const [{ usage }] = await once(child, 'message');
  return usage;
}

/**
 * Measures the same routes of the whole application and of one without a part, each in its own process. They take many
 * short turns, so that other load on the machine affects both alike. Prints the rates, the processor time of a request
 * and their ratios. The environment and the command line set the options.
 *
 * @param part the name of the part that the other application lacks
 */
export async function compareAccess(without: Exclude<Variant, 'whole'>, part: string): Promise<void> {
  const options = readNumbers({ rounds: 100, requests: 300, connections: 8 });
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const { databaseUrl } = createDatabaseConfig(readEnv(process.env));
  const headers = { Authorization: `Bearer ${await createLimitedKey(databaseUrl)}` };
  const measure = async (server: Server, path: string): Promise<Cost> => {
    const before = await readUsage(server);
    const start = performance.now();
    await askTimes(options.requests, { url: `${server.base}${path}`, headers, agent });
    const rate = (options.requests * 1000) / (performance.now() - start);
    return { rate, usage: ((await readUsage(server)) - before) / options.requests };
  };

  const whole = await startServer(databaseUrl, 'whole');
  const other = await startServer(databaseUrl, without);
  const answer = await fetch(`${whole.base}${PATHS[0]}`, { headers });
  if (!answer.headers.has('ratelimit-remaining')) throw new Error('The answers have no limits.');
  for (const { base } of [whole, other]) {
    await askTimes(WARM_UP_REQUESTS, { url: `${base}${PATHS[0]}`, headers, agent });
  }

  process.stdout.write('middle (and the middle half) of the rounds\n');
  for (const path of PATHS) {
    const rounds: { with: Cost; without: Cost }[] = [];
    for (let round = -1; round < options.rounds; round += 1) {
      // In turns, each first every other time, so that the machine treats both alike.
      const [first, second] = round % 2 === 0 ? [whole, other] : [other, whole];
      const costs = new Map([[first, await measure(first, path)]]);
      costs.set(second, await measure(second, path));
      const [wholeCost, otherCost] = [costs.get(whole), costs.get(other)];
      if (round >= 0 && wholeCost && otherCost) rounds.push({ with: wholeCost, without: otherCost });
    }
    const show = (pick: (round: (typeof rounds)[number]) => number, digits: number) =>
      formatMiddleHalf(rounds.map(pick), digits);
    process.stdout.write(
      `${path}\n` +
        `  with ${part} ${show((round) => round.with.rate, 0)}/s, ` +
        `without ${show((round) => round.without.rate, 0)}/s, ` +
        `ratio ${show((round) => round.with.rate / round.without.rate, 3)}\n` +
        `  processor time of a request ${show((round) => round.with.usage, 0)} and ` +
        `${show((round) => round.without.usage, 0)} us, ` +
        `ratio ${show((round) => round.without.usage / round.with.usage, 3)}\n`,
    );
  }
  for (const { child } of [whole, other]) child.kill('SIGTERM');
}
