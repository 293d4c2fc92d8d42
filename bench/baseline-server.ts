/**
 * The baseline of the reads benchmark: an expert's hand-written server with Fastify and postgres.js, without keys,
 * limits, tags or logs. It runs the same SQL and sends the text of its rows as the same bytes (`/sql/N`), runs only the
 * SQL (`/queries/N`), or sends the bytes from memory (`/memory/N`). `/cached/N` repeats the answer of `/sql/N` for a
 * second, so it shows changes that much later.
 *
 * `bench/reads.ts` starts it, sends it the queries and the body of each request, and receives its port.
 */
import fastify from 'fastify';
import postgres from 'postgres';
import type { RecordedRequest } from '../test/helpers/postgres/reads.ts';

/** The position of the JSON in the rows of a case, and the text around it in the body. */
interface Rendering {
  query: number;
  column: string;
  before: string;
  after: string;
}

interface Case {
  queries: RecordedRequest['queries'];
  body: Buffer;
  /** Null if the body consists of many rows: then it is sent from memory. */
  rendering: Rendering | null;
}

type Results = readonly postgres.Row[][];

/** Prepares statements without values too; postgres.js would otherwise use the simple protocol. */
const PREPARED = { prepare: true, simple: false };

/** How long `/cached/N` repeats an answer, in milliseconds. */
const CACHED_MS = 1000;

const cases: Case[] = [];
let database: postgres.Sql | undefined;
const server = fastify();

async function runQueries({ queries }: Pick<Case, 'queries'>): Promise<Results> {
  const results: postgres.Row[][] = [];
  for (const { sql, values } of queries) {
    const rows = await database?.unsafe(sql, values as postgres.ParameterOrJSON<never>[], PREPARED);
    results.push([...(rows ?? [])]);
  }
  return results;
}

/** Finds the value in the first rows that makes up most of the body. */
function findRendering(body: string, results: Results): Rendering | null {
  for (const [query, [row = {}]] of results.entries()) {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value !== 'string' || value.length < body.length / 2) continue;
      const [before, after] = body.split(value);
      if (before !== undefined && after !== undefined) return { query, column, before, after };
    }
  }
  return null;
}

const caseOf = (index: string): Case => {
  const found = cases[Number(index)];
  if (!found) throw new Error(`There is no case ${index}.`);
  return found;
};

/** The body by the case's SQL. */
async function runCase({ queries, body, rendering }: Case): Promise<string | Buffer> {
  const results = await runQueries({ queries });
  if (!rendering) return body;
  const { query, column, before, after } = rendering;
  return `${before}${results[query]?.[0]?.[column]}${after}`;
}

/** The bodies of the last second, by case. */
const cached = new Map<string, { at: number; body: Promise<string | Buffer> }>();

server.get<{ Params: { index: string } }>('/sql/:index', async ({ params }, reply) =>
  reply.type('application/json; charset=utf-8').send(await runCase(caseOf(params.index))),
);
server.get<{ Params: { index: string } }>('/cached/:index', async ({ params: { index } }, reply) => {
  const now = performance.now();
  let kept = cached.get(index);
  if (!kept || now - kept.at > CACHED_MS) {
    kept = { at: now, body: runCase(caseOf(index)) };
    cached.set(index, kept);
  }
  return reply.type('application/json; charset=utf-8').send(await kept.body);
});
server.get<{ Params: { index: string } }>('/queries/:index', async ({ params }) => {
  await runQueries(caseOf(params.index));
  return {};
});
server.get<{ Params: { index: string } }>('/memory/:index', async ({ params }, reply) =>
  reply.type('application/json; charset=utf-8').send(caseOf(params.index).body),
);
const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));

async function addCase({ queries, body }: RecordedRequest): Promise<void> {
  const rendering = findRendering(body, await runQueries({ queries }));
  cases.push({ queries, body: Buffer.from(body), rendering });
  process.send?.({ port: Number(port), index: cases.length - 1 });
}

process.on('message', ({ databaseUrl, recorded }: { databaseUrl: string; recorded: RecordedRequest }) => {
  // Warnings would appear between the results.
  database ??= postgres(databaseUrl, { max: 20, onnotice: () => {} });
  void addCase(recorded);
});
