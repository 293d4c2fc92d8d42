/*
 * The baseline of the reads benchmark: the plainest server that does the same work. It runs the same SQL with `pg` and
 * writes the same bytes (`/sql/N`), runs the SQL alone (`/queries/N`), or writes the bytes from memory (`/memory/N`).
 *
 * `bench/reads.ts` starts it, sends it the queries and body of each request, and receives its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { RecordedRequest } from '../test/helpers/record-queries.ts';

interface Case {
  queries: RecordedRequest['queries'];
  body: Buffer;
}

const cases: Case[] = [];

process.on('message', ({ databaseUrl, recorded }: { databaseUrl: string; recorded: RecordedRequest }) => {
  pool ??= new pg.Pool({ connectionString: databaseUrl, max: 20 });
  cases.push({ queries: recorded.queries, body: Buffer.from(recorded.body) });
  process.send?.({ port: (server.address() as AddressInfo).port, index: cases.length - 1 });
});

let pool: pg.Pool | undefined;
const server = createServer(async (request, response) => {
  const [, kind, index] = request.url?.split('/') ?? [];
  const { queries = [], body } = cases[Number(index)] ?? {};
  if (kind !== 'memory') for (const { sql, values } of queries) await pool?.query(sql, values);
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(kind === 'queries' ? '{}' : body);
});
server.listen(0, '127.0.0.1');
