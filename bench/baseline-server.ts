/*
 * The baseline of the reads benchmark: the server that an expert would write by hand, of Fastify and postgres.js, without
 * keys, limits or logs. It runs the same SQL and writes the same bytes (`/sql/N`), runs the SQL alone (`/queries/N`), or
 * writes the bytes from memory (`/memory/N`).
 *
 * `bench/reads.ts` starts it, sends it the queries and body of each request, and receives its port.
 */
import fastify from 'fastify';
import postgres from 'postgres';
import type { RecordedRequest } from '../test/helpers/record-queries.ts';

interface Case {
  queries: RecordedRequest['queries'];
  body: Buffer;
}

const cases: Case[] = [];
let database: postgres.Sql | undefined;
const server = fastify();

async function runQueries({ queries }: Case): Promise<void> {
  for (const { sql, values } of queries) {
    await database?.unsafe(sql, values as postgres.ParameterOrJSON<never>[], { prepare: true });
  }
}

const caseOf = (index: string): Case => {
  const found = cases[Number(index)];
  if (!found) throw new Error(`There is no case ${index}.`);
  return found;
};

server.get<{ Params: { index: string } }>('/sql/:index', async ({ params }, reply) => {
  const found = caseOf(params.index);
  await runQueries(found);
  return reply.type('application/json; charset=utf-8').send(found.body);
});
server.get<{ Params: { index: string } }>('/queries/:index', async ({ params }) => {
  await runQueries(caseOf(params.index));
  return {};
});
server.get<{ Params: { index: string } }>('/memory/:index', async ({ params }, reply) =>
  reply.type('application/json; charset=utf-8').send(caseOf(params.index).body),
);
const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));

process.on('message', ({ databaseUrl, recorded }: { databaseUrl: string; recorded: RecordedRequest }) => {
  database ??= postgres(databaseUrl, { max: 20 });
  cases.push({ queries: recorded.queries, body: Buffer.from(recorded.body) });
  process.send?.({ port: Number(port), index: cases.length - 1 });
});
