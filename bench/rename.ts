/**
 * Measures the rename of an election with many endorsements: the time until all of them are announced, and until Kafka
 * has the events. It also measures a submission's wait for its commit, meanwhile and otherwise, and the duration of an
 * ordinary batch of a thousand.
 */
import pg from 'pg';
import { topicNames } from '../kafka/topic-names.ts';
import { openProducer } from '../kafka/writing/submissions-producer.ts';
import { importLines } from '../ops/catalog/import-catalogue.ts';
import type { StagedLine } from '../store/catalogue/staging.ts';
import { startSystem } from '../test/helpers/service/system.ts';
import { until } from '../test/helpers/until.ts';
import { readNumbers } from './command-line.ts';
import { endorse } from './endorse.ts';
import { formatDurations } from './statistics.ts';

const ELECTION = { slug: 'bench-2030', date: '2030-11-05', state: 'OR', type: 'general' } as const;
const BATCH = 1000;
const WAIT_MS = 10 * 60_000;

const { endorsements, rounds } = readNumbers({ endorsements: 100_000, rounds: 3 });
const system = await startSystem();
const { databaseUrl } = system;
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const producer = await openProducer(system.brokers, topicNames().submissions);

/** An election with two contests: one with all endorsements, and one for the timed submissions. */
await client.query(
  `WITH l AS (INSERT INTO elections (slug, name, date, state, type) VALUES ('${ELECTION.slug}', 'Bench', '${ELECTION.date}', 'OR', 'general') RETURNING id),
   d AS (INSERT INTO districts (name, level, type, state) VALUES ('Bench', 'city', 'place', 'OR') RETURNING id),
   c AS (INSERT INTO contests (key, election_id, district_id, title, short_title, kind, vote_method, ballot_order)
     SELECT '${ELECTION.slug}/' || n, l.id, d.id, 'Contest', 'Contest', 'candidate', 'plurality', n
     FROM l, d, generate_series(1, 2) n RETURNING id)
   INSERT INTO choices (contest_id, key, label, ballot_order) SELECT id, 'ann', 'Ann', 1 FROM c`,
);
await client.query(
  `WITH e AS (INSERT INTO endorsers (slug, name, category, state)
     SELECT 'bench-' || n, 'Bench ' || n, (SELECT min(slug) FROM endorser_categories), 'OR'
     FROM generate_series(1, $1::int) n RETURNING id)
   INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
   SELECT e.id, c.id, h.id, c.election_id, now() FROM e, contests c JOIN choices h ON h.contest_id = c.id
   WHERE c.key = '${ELECTION.slug}/1'`,
  [endorsements],
);
await client.query('ANALYZE');

const contest = `${ELECTION.slug}/2`;
let made = 0;
function next() {
  made += 1;
  const endorser = `bench-${1 + (made % endorsements)}`;
  return endorse({ endorser, contest, choice: 'ann' }, { statement: `statement ${made}` });
}

/** The time from sending this number of submissions to the commit of the last one, in milliseconds. */
async function timeApply(count: number): Promise<number> {
  const start = performance.now();
  await producer.send(Array.from({ length: count }, next));
  for (;;) {
    const { rows } = await client.query(
      'SELECT FROM endorsements n JOIN contests c ON c.id = n.contest_id WHERE c.key = $1 AND n.statement = $2',
      [contest, `statement ${made}`],
    );
    if (rows.length > 0) return performance.now() - start;
  }
}

/** Renames the election. @returns the seconds until everything is announced */
async function rename(name: string): Promise<number> {
  async function* lines(): AsyncGenerator<StagedLine> {
    const record = { ...ELECTION, name, details: {} } as unknown as StagedLine['record'];
    yield { kind: 'elections', file: 'bench', line: 1, key: ELECTION.slug, record };
  }
  const start = performance.now();
  const { announced } = await importLines(lines, {
    databaseUrl,
    skipRefused: false,
    maxRemovals: 0,
    dryRun: false,
  });
  if (announced.updated < endorsements) throw new Error(`Only ${announced.updated} were announced.`);
  return (performance.now() - start) / 1000;
}

async function untilRelayed(): Promise<void> {
  const isRelayed = async () => {
    const { rows } = await client.query<{ done: boolean }>(
      `SELECT last_sequence <= (SELECT max(last_sequence) FROM relay_batches WHERE acknowledged_at IS NOT NULL) AS done
       FROM stream_head`,
    );
    return rows[0]?.done ?? false;
  };
  await until('everything to be relayed', isRelayed, WAIT_MS);
}

for (let round = 1; round <= rounds; round += 1) {
  const alone: number[] = [];
  for (let i = 0; i < 100; i += 1) alone.push(await timeApply(1));
  const batches: number[] = [];
  for (let i = 0; i < 10; i += 1) batches.push(await timeApply(BATCH));
  await untilRelayed();
  const meanwhile: number[] = [];
  const start = performance.now();
  let seconds: number | undefined;
  const renaming = rename(`Renamed ${round}`).then((taken) => (seconds = taken));
  while (seconds === undefined) meanwhile.push(await timeApply(1));
  await renaming;
  await untilRelayed();
  process.stdout.write(`round ${round}: ${endorsements} endorsements announced in ${seconds.toFixed(1)} s, relayed after ${((performance.now() - start) / 1000).toFixed(1)} s
  a submission applied, alone:          ${formatDurations(alone)}
  a submission applied, meanwhile:      ${formatDurations(meanwhile)}
  a batch of ${BATCH} submissions applied: ${formatDurations(batches)}
`);
}
await producer.close();
await client.end();
await system.stop();
process.exit(0);
