/**
 * The baseline of the reads benchmark: an expert's hand-written server with Fastify and postgres.js, without keys,
 * limits, tags or logs. It runs the same SQL and sends the text of its rows as the same bytes (`/sql/N`), runs only the
 * SQL (`/queries/N`), or sends the bytes from memory (`/memory/N`).
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

server.get<{ Params: { index: string } }>('/sql/:index', async ({ params }, reply) => {
  const { queries, body, rendering } = caseOf(params.index);
  const results = await runQueries({ queries });
  reply.type('application/json; charset=utf-8');
  if (!rendering) return reply.send(body);
  const { query, column, before, after } = rendering;
  return reply.send(`${before}${results[query]?.[0]?.[column]}${after}`);
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
