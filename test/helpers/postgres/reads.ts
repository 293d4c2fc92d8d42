import { CoverageMemory } from '../../../gateway/answers/kept-coverage.ts';
import { ResponseCache } from '../../../gateway/answers/response-cache.ts';
import { BallotMemory } from '../../../gateway/ballots/ballot-memory.ts';
import { createConfig } from '../../../gateway/config.ts';
import type { GatewayContext } from '../../../gateway/context.ts';
import { encodeContent } from '../../../gateway/http/content.ts';
import { createOwnRequest } from '../../../gateway/http/own-request.ts';
import type { Reply, Route } from '../../../gateway/http/route.ts';
import { FairQueue } from '../../../gateway/limits/fair-queue.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { systemClock } from '../../../service/clock.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { type DataPart, loadDataVersions } from '../../../store/reads/data-versions.ts';
import { watchData } from '../../../store/reads/data-watch.ts';
import { openReadPool } from './read-pool.ts';

/** The queries and the answer of a request. */
export interface RecordedRequest {
  queries: { sql: string; values: unknown[] }[];
  /** The parts of the data that the route declares in `shows`. */
  shows: readonly DataPart[];
  body: string;
}

/** The GET route of a path, and the values of its parameters. */
function findRoute(pathname: string) {
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const form = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const match = form.exec(pathname);
    if (match) return [route, match.groups ?? {}] as const;
  }
  throw new Error(`There is no route ${pathname}.`);
}

/**
 * Answers requests of data endpoints in this process, without a gateway.
 *
 * @param memory for kept answers and for ballots, in bytes; by default nothing is kept
 */
export function createReads(
  pool: DatabasePool,
  { answers = 0, ballots: ballotBytes = 1 }: { answers?: number; ballots?: number } = {},
): (path: string) => Promise<{ route: Route; reply: Reply }> {
  const config = createConfig({ DATABASE_URL: 'postgres://localhost/none', KAFKA_BROKERS: 'localhost:9092' });
  // The data endpoints use only this part of the context.
  const limits = { atOnce: 2, atOnceOfAccount: 2, reserved: 0, waiting: 100, waitingOfAccount: 100 };
  const [reads, largeAnswers, digests] = [1, 2, 3].map(() => new FairQueue(limits)) as [
    FairQueue,
    FairQueue,
    FairQueue,
  ];
  const responseCache = new ResponseCache({
    maxBytes: answers,
    retentionMs: config.retentionMs,
    clock: systemClock,
  });
  const source = { pool, data: watchData(pool, loadDataVersions), isReplica: false };
  const replicas: GatewayContext['replicas'] = { read: (work) => work(source) };
  const ballots = new BallotMemory(ballotBytes);
  const coverage = new CoverageMemory();
  const loadState = () => source.data.next();
  const context = {
    ...{ pool, replicas, loadState, ballots, coverage, reads, largeAnswers, digests },
    responseCache,
    config,
    clock: systemClock,
  };
  return async (path) => {
    const [pathname = '', query = ''] = path.split('?');
    const [route, parameters] = findRoute(pathname);
    const request = createOwnRequest({
      ...{ pathname, query, path: parameters, id: 'test', closed: new AbortController().signal },
      caller: {
        credential: { key: 0 },
        accountId: 0,
        account: '',
        plan: '',
        scopes: ['data:read'],
        requestsPerMinute: null,
        requestsPerDay: null,
        maxStreams: null,
      },
    });
    return { route, reply: await route.answer(request, context as unknown as GatewayContext) };
  };
}

/** The body of an answer with JSON. */
export function bodyOf(reply: Reply): string {
  if (!('json' in reply)) throw new Error('The answer has no JSON.');
  return encodeContent(reply.json).pieces.join('');
}

/**
 * Answers a request once, in this process, and records its SQL.
 *
 * @param path the path of a data endpoint, with its query
 */
export async function recordQueries(databaseUrl: string, path: string): Promise<RecordedRequest> {
  const queries: RecordedRequest['queries'] = [];
  const pool = await openReadPool(databaseUrl, {
    statementTimeoutMs: 60_000,
    onQuery: (sql, values) => queries.push({ sql, values: [...values] }),
  });
  const { route, reply } = await createReads(pool)(path);
  await pool.end();
  return { queries, shows: route.shows ?? [], body: bodyOf(reply) };
}
