/**
 * Measures the export of all endorsements of a loaded store as lines of JSON. Peers are COPY of the same rows to the
 * same JSON without a server in between, and pages of 500. It runs on DATABASE_URL and KAFKA_BROKERS, or on a running
 * service's DATA_DIR.
 */
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createReadPool } from '../store/connection/read-pool.ts';
import { selectEndorsements } from '../store/reads/endorsements.ts';
import { exportRecords } from '../store/reads/export.ts';
import { withClient } from '../test/helpers/postgres/with-client.ts';
import { print, readNumbers } from './command-line.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { openStore } from './open-store.ts';
import { spreadOf } from './statistics.ts';
import { cpuMsOf, peakBytesOf, residentBytesOf } from './stream/process-usage.ts';

/** `paged` records are read by pages, which is much slower. */
const options = readNumbers({ rounds: 5, paged: 50_000 });
const MEGABYTE = 1024 * 1024;
const NEWLINE = 10;

const { config, headers } = await openStore();
const { databaseUrl } = config;
const gateway = await startGatewayProcess(config);

/** The query of the export, with its values as literals, because COPY takes no parameters. */
async function findSelect(): Promise<string> {
  let declared = '';
  const pool = await createReadPool({
    databaseUrl,
    maxConnections: 1,
    connectionTimeoutMs: 3000,
    statementTimeoutMs: 60_000,
    onQuery: (text, given) => {
      if (!text.startsWith('DECLARE')) return;
      const literal = (index: string) => pg.escapeLiteral(String(given[Number(index) - 1]));
      declared = text.replace(/^DECLARE .* FOR /, '').replaceAll(/\$(\d+)/g, (_, index) => literal(index));
    },
  });
  const select = selectEndorsements({}, 'en', undefined);
  const stop = () => Promise.reject(new Error('Only the text of the query was wanted.'));
  const { signal: closed } = new AbortController();
  await exportRecords(pool, select, { closed, begin: async () => {}, write: stop }).catch(() => {});
  await pool.end();
  return declared;
}

/** Counts the lines that are written to it. */
class LineCounter extends Writable {
  lines = 0;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (const byte of chunk) if (byte === NEWLINE) this.lines += 1;
    done();
  }
}

/** Records a second. */
function copyAll(select: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const start = performance.now();
    const counter = new LineCounter();
    await pipeline(client.query(copyTo(`COPY (${select}) TO STDOUT`)), counter);
    return (counter.lines * 1000) / (performance.now() - start);
  });
}

async function readLines(encoding: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${gateway.base}/v1/endorsements`, {
    headers: { ...headers, Accept: 'application/x-ndjson', 'Accept-Encoding': encoding },
  });
  const counter = new LineCounter();
  if (!response.body) throw new Error('The answer has no body.');
  await pipeline(response.body, counter);
  // The first and the last line are not records.
  return (counter.lines - 2) / ((performance.now() - start) / 1000);
}

async function readPages(count: number): Promise<number> {
  const start = performance.now();
  let read = 0;
  for (let cursor = ''; read < count; ) {
    const response = await fetch(`${gateway.base}/v1/endorsements?limit=500${cursor}`, { headers });
    const page = (await response.json()) as { data: unknown[]; next_cursor: string | null };
    read += page.data.length;
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  return read / ((performance.now() - start) / 1000);
}

async function measureRound(select: string) {
  const copy = await copyAll(select);
  const cpuBefore = cpuMsOf(gateway.pid);
  const before = residentBytesOf(gateway.pid);
  const lines = await readLines('identity');
  const cpuMs = cpuMsOf(gateway.pid) - cpuBefore;
  const after = residentBytesOf(gateway.pid);
  const zipped = await readLines('gzip');
  const pages = await readPages(options.paged);
  return { copy, lines, zipped, pages, cpuMs, before, after };
}
type Round = Awaited<ReturnType<typeof measureRound>>;

try {
  const select = await findSelect();
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round += 1) rounds.push(await measureRound(select));
  const show = (pick: (round: Round) => number, digits = 0) => spreadOf(rounds, pick, digits);
  print(`middle (lowest to highest) of ${options.rounds} rounds, endorsements a second`);
  print(`  COPY alone            ${show(({ copy }) => copy)}`);
  print(`  lines of JSON         ${show(({ lines }) => lines)}, of COPY ${show((r) => r.lines / r.copy, 2)}`);
  print(
    `  the same with gzip    ${show(({ zipped }) => zipped)}, of COPY ${show((r) => r.zipped / r.copy, 2)}`,
  );
  print(`  pages of 500          ${show(({ pages }) => pages)}, of COPY ${show((r) => r.pages / r.copy, 2)}`);
  print(`  the gateway's processor time of an export, uncompressed: ${show(({ cpuMs }) => cpuMs)} ms`);
  print(
    `  its memory after one, in MB: ${show(({ after }) => after / MEGABYTE)}, before ${show(({ before }) => before / MEGABYTE)}`,
  );
  print(`  its peak: ${(peakBytesOf(gateway.pid) / MEGABYTE).toFixed(0)} MB`);
} finally {
  await gateway.stop();
}
process.exit(0);
