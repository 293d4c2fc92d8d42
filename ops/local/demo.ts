/** The extras of `npm start` for newcomers: data in an empty store, and a key to try it with. */

import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Brokers } from '../../service/brokers.ts';
import { waitFor } from '../../service/wait-for.ts';
import { listAccounts } from '../../store/accounts/accounts.ts';
import { setEndorsersAllowed } from '../../store/accounts/endorsers.ts';
import { createConsoleLink } from '../commands/console.ts';
import { createKey, isKnownKey } from '../commands/keys.ts';
import { currentActor, inOneTransaction } from '../database.ts';
import { count } from '../table.ts';
import { logFolder, nameData } from './data-dir.ts';

/** The account of newcomers. */
const DEMO_ACCOUNT = 'demo';
/** The home of the endorsers for which it may publish. */
const DEMO_STATE = 'CA';

const APPLY_TIMEOUT_MS = 10 * 60_000;
const SAY_EVERY_MS = 5000;

export interface DemoOptions {
  databaseUrl: string;
  brokers: Brokers;
  dataDir: string;
  topicPrefix: string;
  /** The date from which `upcoming` counts; null for the clock's. */
  today: string | null;
  report(line: string): void;
}

/** The file that marks an unfinished load of the demo. */
const markIn = (dataDir: string): string => path.join(dataDir, 'demo.unfinished');

const onToday = ({ today, ...options }: Omit<DemoOptions, 'brokers'>) => ({
  ...options,
  today: today ?? new Date().toISOString().slice(0, 10),
});

async function isStoreEmpty(databaseUrl: string): Promise<boolean> {
  const records = 'SELECT 1 FROM elections UNION ALL SELECT 1 FROM officeholder_load LIMIT 1';
  return (await inOneTransaction(databaseUrl, (client) => client.query(records))).rowCount === 0;
}

/** The number of submissions in Kafka, and the number that the store has applied. */
async function readProgress({ databaseUrl, brokers, topicPrefix }: DemoOptions): Promise<[number, number]> {
  const topic = topicNames(topicPrefix).submissions;
  const ends = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  const { rows } = await inOneTransaction(databaseUrl, (client) =>
    client.query<{ applied: string | null }>(
      'SELECT sum(next_offset) AS applied FROM consumer_offsets WHERE topic = $1',
      [topic],
    ),
  );
  return [ends.reduce((sum, { offset }) => sum + Number(offset), 0), Number(rows[0]?.applied ?? 0)];
}

/** Waits until the consumers have applied all submissions, and reports their progress now and then. */
async function untilApplied(options: DemoOptions): Promise<void> {
  let saidAt = performance.now();
  await waitFor(
    'The demo',
    async () => {
      const [submitted, applied] = await readProgress(options);
      if (applied >= submitted) return true;
      if (performance.now() - saidAt > SAY_EVERY_MS) {
        saidAt = performance.now();
        options.report(`Demo endorsements: ${count(applied)} of ${count(submitted)} applied ...`);
      }
      return null;
    },
    { timeoutMs: APPLY_TIMEOUT_MS, everyMs: 200 },
  );
}

/**
 * Imports the demo catalogue into an empty store. An interrupted load leaves a mark, and the next start repeats it.
 * Both halves of the load may be repeated.
 *
 * @returns whether to load the endorsements too
 */
export async function importDemoOnce(options: Omit<DemoOptions, 'brokers'>): Promise<boolean> {
  const { databaseUrl, dataDir, report } = options;
  const mark = markIn(dataDir);
  if (!existsSync(mark) && !(await isStoreEmpty(databaseUrl))) return false;
  await writeFile(mark, '');
  report('Importing the demo catalogue ...');
  const { importDemoCatalogue } = await import('../demo/load.ts');
  await importDemoCatalogue(onToday(options));
  return true;
}

/** Submits the demo's endorsements, and waits until clients can read them. */
export async function submitDemo(options: DemoOptions): Promise<void> {
  options.report('Loading the demo endorsements ...');
  const { submitDemoEndorsements } = await import('../demo/load.ts');
  await submitDemoEndorsements({ ...onToday(options), brokers: options.brokers });
  await untilApplied(options);
  await rm(markIn(options.dataDir));
}

/** A key of the demo account: from DATA_DIR/demo.key if it still works, or else a new one. */
export async function ensureDemoKey(databaseUrl: string, dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'demo.key');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '' && (await isKnownKey(databaseUrl, known))) return known;
  const key = await createKey({ databaseUrl, account: DEMO_ACCOUNT, plan: 'internal' });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Lets the demo account publish for three invented endorsers, so that newcomers can try it. */
export async function allowDemoEndorsers(databaseUrl: string): Promise<void> {
  await inOneTransaction(databaseUrl, async (client) => {
    const [account] = await listAccounts(client, { name: DEMO_ACCOUNT });
    const { rows } = await client.query<{ slug: string }>(
      'SELECT slug FROM endorsers WHERE state = $1 ORDER BY slug LIMIT 3',
      [DEMO_STATE],
    );
    const slugs = rows.map(({ slug }) => slug);
    if (account) await setEndorsersAllowed(client, account, { slugs, isAllowed: true }, currentActor());
  });
}

/** A link that signs an operator in to the console once, on the demo account. */
export function createDemoLink(databaseUrl: string, publicUrl: string): Promise<string> {
  const options = { account: DEMO_ACCOUNT, role: 'operator', person: 'npm start' } as const;
  return createConsoleLink({ databaseUrl, publicUrl }, options);
}

/** The last lines of a start: the addresses, and three commands to copy. */
export function renderWelcome(options: {
  /** The service's address on this machine, and that of its metrics. */
  address: string;
  metricsAddress: string;
  key: string;
  /** The link that signs in to the console once; null without a console. */
  consoleLink: string | null;
  demo: boolean;
  dataDir: string;
}): string {
  const { dataDir, address } = options;
  const curl = (flags: string, pathAndQuery: string) =>
    `  curl ${flags}-H 'Authorization: Bearer ${options.key}' '${address}${pathAndQuery}'`;
  return [
    '',
    `The service is up:  ${address}  (reference: ${address}/docs)`,
    `Demo key:           ${options.key}`,
    ...(options.consoleLink === null
      ? []
      : [
          `Console:            ${options.consoleLink}`,
          `                    (works once; another: ${nameData(dataDir)}npm run ops -- console link --account ${DEMO_ACCOUNT})`,
        ]),
    `Metrics:            ${options.metricsAddress}/metrics`,
    `Logs:               ${logFolder(dataDir)}`,
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
