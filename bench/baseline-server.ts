/*
 * What a reads benchmark is measured against: the plainest server that does the same work. It runs the same SQL with
 * `pg` and writes the same bytes (`/sql/N`), or writes them out of memory (`/memory/N`).
 *
 * Started by `bench/reads.ts`, which sends it the queries and bodies and is told its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { RecordedRequest } from '../test/helpers/record-queries.ts';

process.once('message', ({ databaseUrl, cases }: { databaseUrl: string; cases: RecordedRequest[] }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const bodies = cases.map(({ body }) => Buffer.from(body));
  const server = createServer(async (request, response) => {
    const [, kind, index] = request.url?.split('/') ?? [];
    const { queries } = cases[Number(index)] ?? { queries: [] };
    if (kind === 'sql') for (const { sql, values } of queries) await pool.query(sql, values);
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end(bodies[Number(index)]);
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
