import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { changeOf, type DemoSituation } from '../../ops/demo/changes.ts';
import { createDemo } from '../../ops/demo/generate.ts';
import { DEMO_SEED, loadDemo } from '../../ops/demo/load.ts';
import { createRandom } from '../../ops/demo/random.ts';
import { findSituation } from '../../ops/demo/situations.ts';
import { importDemoOnce } from '../../ops/local/demo.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';
import { createTopic } from '../helpers/kafka/topics.ts';
import { createTestDatabase, usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { testServers } from '../helpers/servers/servers.ts';

const run = createRunner('demo');

const TODAY = '2026-09-15';
const SIZE = { contests: 300, endorsers: 80, endorsements: 600 };
const { brokers } = testServers();
const topicPrefix = `${randomUUID()}.`;
const { submissions: topic } = topicNames(topicPrefix);
const database = useTestDatabase();
const pool = usePool(database.url, { max: 1 });
let folder: Awaited<ReturnType<typeof createFolder>> | undefined;

beforeAll(async () => {
  await withAdmin(brokers, (admin) => createTopic(admin, { topic, numPartitions: 2, replicationFactor: 1 }));
});
afterEach(async () => folder?.remove());

test('the demo is loaded into the store and sent to Kafka, and changes nothing the second time', async () => {
  const report: string[] = [];
  const options = { databaseUrl: database.url, brokers, topicPrefix, today: TODAY, size: SIZE };
  await loadDemo({ ...options, report: (line) => report.push(line) });
  const expected = [...createDemo({ ...SIZE, seed: DEMO_SEED, today: TODAY }).submissions()].length;
  expect(report).toEqual([
    expect.stringMatching(/^Demo catalogue: 300 contests, [0-9,]+ choices and 80 endorsers added\.$/),
    expect.stringMatching(/^Demo officeholders: [0-9]+ added\.$/),
    `Demo endorsements: ${expected} submissions sent.`,
  ]);
  const offsets = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  expect(offsets.reduce((sum, { high }) => sum + Number(high), 0)).toBe(expected);

  await loadDemo({ ...options, report: (line) => report.push(line) });
  expect(report.slice(3, 5)).toEqual([
    'Demo catalogue: 0 contests, 0 choices and 0 endorsers added.',
    'Demo officeholders: 0 added.',
  ]);
});

test('a situation is a demo endorser in an upcoming contest, with its choices and its picks', async () => {
  const situation = await findSituation(pool, TODAY, [0.5, 0.99]);
  expect(situation).toMatchObject({ picks: [], choices: expect.arrayContaining([expect.any(String)]) });
  const { rows } = await pool.query(
    `SELECT elections.date >= $2 AS upcoming FROM contests JOIN elections ON elections.id = election_id WHERE key = $1`,
    [situation?.contest, TODAY],
  );
  expect(rows).toEqual([{ upcoming: true }]);
  expect(await findSituation(pool, TODAY, [0.2, 0.5])).toBeNull();

  await pool.query(
    `INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, rank, updated_at)
    SELECT endorsers.id, contests.id, choices.id, election_id, choices.ballot_order, now()
    FROM endorsers, contests JOIN choices ON contest_id = contests.id
    WHERE endorsers.slug = $1 AND contests.key = $2`,
    [situation?.endorser, situation?.contest],
  );
  const endorsed = await findSituation(pool, TODAY, [0.2, 0]);
  expect(endorsed).toMatchObject({ endorser: situation?.endorser, contest: situation?.contest });
  expect(endorsed?.picks.map(({ rank }) => rank)).toEqual(endorsed?.picks.map((_, index) => index + 1));
});

test('a store with officeholders is not empty, so a start does not add the demo', async () => {
  folder = await createFolder({});
  const databaseUrl = await createTestDatabase();
  const other = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  await other.query('INSERT INTO officeholder_load (loaded_at) VALUES (now())');
  await other.end();
  const options = { databaseUrl, dataDir: folder.dir, topicPrefix, today: TODAY, report: () => {} };
  expect(await importDemoOnce(options)).toBe(false);
});

test('a store without the demo has no situations', async () => {
  const empty = await createTestDatabase();
  const other = new pg.Pool({ connectionString: empty, max: 1 });
  expect(await findSituation(other, TODAY, [0.9, 0.5])).toBeNull();
  expect(await findSituation(other, TODAY, [0.1, 0.5])).toBeNull();
  await other.end();
});

/** The changes of a situation in a hundred draws. */
function draw(situation: DemoSituation) {
  return Array.from({ length: 100 }, (_, seed) => changeOf(situation, TODAY, createRandom(seed)));
}

test('every change is valid: a first endorsement, another statement, another order, a withdrawal', () => {
  const base = { endorser: 'e', contest: 'c/d', choices: ['a', 'b', 'c'] };
  for (const change of draw({ ...base, voteMethod: 'plurality', picks: [] })) {
    expect(change).toMatchObject({ action: 'endorse', picks: [{ rank: null, published_on: TODAY }] });
    expect(base.choices).toContain(change?.picks[0]?.choice);
  }
  for (const change of draw({ ...base, voteMethod: 'ranked_choice', picks: [] }))
    expect(change?.picks[0]?.rank).toBe(1);
  expect(draw({ ...base, voteMethod: 'plurality', choices: [], picks: [] })).toEqual(Array(100).fill(null));

  const ranked = [
    { choice: 'c', rank: 1 },
    { choice: 'a', rank: 2 },
  ];
  const changes = draw({ ...base, voteMethod: 'ranked_choice', picks: ranked });
  expect([...new Set(changes.map((change) => change?.action))].sort()).toEqual([
    'endorse',
    'position',
    'withdraw',
  ]);
  for (const change of changes) {
    const order = change?.picks.map(({ choice, rank }) => `${choice}${rank}`).join();
    expect(change?.action === 'position' ? order : 'a1,c2').toBe('a1,c2');
    if (change?.action === 'endorse') expect(['c1', 'a2']).toContain(order);
  }
});

test('demo generate writes the files that import and submit read', async () => {
  folder = await createFolder({});
  const io = createIo({});
  const sizes = [
    '--contests',
    '60',
    '--endorsers',
    '9',
    '--endorsements',
    '20',
    '--seed',
    '5',
    '--today',
    TODAY,
  ];
  expect(await run(['generate', folder.dir, ...sizes], io)).toBe(0);
  expect(io.printed.map((line) => line.split(/\s+/))).toEqual([
    ['endorser-categories.ndjson', '8'],
    ['endorsers.ndjson', '9'],
    ['elections.ndjson', '224'],
    ['contests.ndjson', '60'],
    ['endorsements.ndjson', expect.stringMatching(/^1?[0-9]$|^20$/)],
  ]);
});

test.each([
  [['generate'], /^Missing required argument 'dir'/],
  [['generate', 'x', '--contests', '-1'], /must be a whole number/],
  [
    ['generate', 'x', '--contests', 'many'],
    /^--contests is "many"; it must be a whole number from 0 to 10000000\.$/,
  ],
  [
    ['generate', 'x', '--today', '2026-02-30'],
    /^--today must be a real date as YYYY-MM-DD, is "2026-02-30"\.$/,
  ],
])('demo %j is refused', async (args, message) => {
  await expect(run(args, createIo({}))).rejects.toThrow(message);
});
