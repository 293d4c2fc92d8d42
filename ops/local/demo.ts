/** What `npm start` adds for a newcomer: data in an empty store, and a key to try them with. */
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { createKey, isKnownKey } from '../keys.ts';

export interface DemoOptions {
  databaseUrl: string;
  brokers: string[];
  dataDir: string;
  /** The date that `upcoming` counts from, or null for the clock's. */
  today: string | null;
  report(line: string): void;
}

async function isStoreEmpty(databaseUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM elections LIMIT 1');
    return rowCount === 0;
  } finally {
    await client.end();
  }
}

/**
 * Loads the demo catalogue and its endorsements into an empty store. A load that was interrupted leaves a mark
 * and is done again by the next start; both halves of it may be repeated.
 */
export async function loadDemoOnce({ dataDir, today, ...options }: DemoOptions): Promise<void> {
  const mark = path.join(dataDir, 'demo.unfinished');
  if (!existsSync(mark) && !(await isStoreEmpty(options.databaseUrl))) return;
  await writeFile(mark, '');
  const { loadDemo } = await import('../demo/load.ts');
  await loadDemo({ ...options, today: today ?? new Date().toISOString().slice(0, 10) });
  await rm(mark);
}

/** A key of the demo account: the one that an earlier start has left in DATA_DIR/demo.key, else a new one. */
export async function ensureDemoKey(databaseUrl: string, dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'demo.key');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '' && (await isKnownKey({ databaseUrl, key: known }))) return known;
  const key = await createKey({ databaseUrl, account: 'demo', plan: 'internal' });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** The last thing a start prints: where it is, and three commands that work as they stand. */
export function renderWelcome(options: {
  port: number;
  metricsPort: number;
  key: string;
  demo: boolean;
  logDir: string;
}): string {
  const base = `http://localhost:${options.port}`;
  const curl = (flags: string, pathAndQuery: string) =>
    `  curl ${flags}-H 'Authorization: Bearer ${options.key}' '${base}${pathAndQuery}'`;
  return [
    '',
    `The service is up:  ${base}  (description: ${base}/docs)`,
    `Demo key:           ${options.key}`,
    `Metrics:            http://localhost:${options.metricsPort}/metrics`,
    `Logs:               ${options.logDir}`,
    '',
    'Three commands to try:',
    curl('', options.demo ? '/v1/endorsements?states=CA&limit=3' : '/v1/states'),
    curl('', '/v1/events?from=earliest&limit=3'),
    curl('-N ', '/v1/stream'),
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
