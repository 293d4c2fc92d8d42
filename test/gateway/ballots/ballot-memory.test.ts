import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { BallotMemory, type BallotRequest } from '../../../gateway/ballots/ballot-memory.ts';
import type { ElectionBallot } from '../../../gateway/ballots/election-ballot.ts';
import { createReadPool, type DatabasePool } from '../../../store/connection/read-pool.ts';
import { loadDataVersions } from '../../../store/reads/data-versions.ts';
import { type DataWatch, watchData } from '../../../store/reads/data-watch.ts';
import { applySubmissions } from '../../helpers/ballots/apply.ts';
import { CALIFORNIA, loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { election } from '../../helpers/ballots/catalogue-records.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';

const MEGABYTE = 1024 * 1024;
const OREGON = 'or-2026-11-03-general';

const { client, url } = useTestDatabase();
const pools: DatabasePool[] = [];
let pool: DatabasePool;
let data: DataWatch;
/** The tables from which the ballots were loaded: contests, or only endorsements. */
let loads: string[];
let memory: BallotMemory;

async function openPool(): Promise<DatabasePool> {
  const opened = await createReadPool({
    databaseUrl: url,
    maxConnections: 2,
    connectionTimeoutMs: 5000,
    statementTimeoutMs: 10_000,
    onQuery: (sql) => {
      if (sql.includes('AS "electionId"')) loads.push('contests');
      if (sql.includes('AS "contestId"')) loads.push('picks');
    },
  });
  pools.push(opened);
  return opened;
}

beforeAll(async () => {
  pool = await openPool();
  await loadCatalogue(url, SMALL_BALLOT);
  await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann'));
});
beforeEach(() => {
  loads = [];
  memory = new BallotMemory(MEGABYTE);
  data = watchData(pool, loadDataVersions);
});
afterAll(async () => {
  for (const opened of pools) await opened.end();
});

const request = async (changes: Partial<BallotRequest> = {}): Promise<BallotRequest> => ({
  pool,
  state: await data.next(),
  lang: 'en',
  ...changes,
});

async function readElections(...slugs: string[]): Promise<ElectionBallot[]> {
  const ballots: ElectionBallot[] = [];
  for await (const ballot of memory.ofElections(await request(), ({ slug }) => slugs.includes(slug)))
    ballots.push(ballot);
  return ballots;
}

const slugsOf = (ballots: readonly ElectionBallot[]) => ballots.map((ballot) => ballot.election.slug);
async function idOf(contest: string): Promise<number> {
  const { rows } = await client.query('SELECT id FROM contests WHERE key = $1', [contest]);
  return rows[0].id;
}

test('an election is loaded once, and an election that was not asked for never', async () => {
  expect(slugsOf(await readElections(OREGON))).toEqual([OREGON]);
  expect(slugsOf(await readElections(OREGON, 'or-1900'))).toEqual([OREGON]);
  expect(loads).toEqual(['contests', 'picks']);
});

test('after a change of an endorsement, only picks are loaded', async () => {
  await readElections(OREGON, CALIFORNIA);
  loads = [];
  const contest = await idOf(`${OREGON}/mayor`);
  for (const statement of ['First.', 'Second.']) {
    await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann', { statement }));
    const [, ballot] = await readElections(OREGON, CALIFORNIA);
    expect(ballot?.contestsById.get(contest)?.picks?.records.toString()).toContain(statement);
  }
  expect(loads).toEqual(['picks', 'picks']);
});

test('a ballot counts with its present size after a change', async () => {
  const sizeAfter = async (statement: string) => {
    await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann', { statement }));
    await readElections(OREGON);
    return memory.bytes;
  };
  const [short, long, shortAgain] = [
    await sizeAfter('Short.'),
    await sizeAfter('Long. '.repeat(100)),
    await sizeAfter('Short.'),
  ];
  expect(long - short).toBeGreaterThan(500);
  expect(shortAgain).toBe(short);
});

test('the least recently used ballots are dropped, and one that does not fit is made each time', async () => {
  await readElections(OREGON, CALIFORNIA);
  const bytes = memory.bytes - 1;
  // As much as the ballots' bytes at least.
  expect(bytes).toBeGreaterThan(5000);
  memory = new BallotMemory(bytes);
  await readElections(OREGON, CALIFORNIA);
  expect(memory.bytes).toBeLessThanOrEqual(bytes);
  loads = [];
  await readElections(OREGON);
  expect(loads).toEqual([]);
  await readElections(CALIFORNIA);
  expect(loads).toEqual(['contests', 'picks']);
  memory = new BallotMemory(1);
  expect(slugsOf(await readElections(OREGON))).toEqual([OREGON]);
  expect(slugsOf(await readElections(OREGON))).toEqual([OREGON]);
  expect(memory.bytes).toBe(0);
});

test('contests come from the ballots in memory, or alone', async () => {
  const [mayor, council, prop] = await Promise.all(
    [`${OREGON}/mayor`, `${OREGON}/council`, `${CALIFORNIA}/prop-1`].map(idOf),
  );
  if (!mayor || !council || !prop) throw new Error('There are no contests.');
  const alone = await memory.ofContests(await request(), [prop, mayor]);
  expect(slugsOf(alone)).toEqual([CALIFORNIA, OREGON]);
  expect(alone.map(({ contests }) => contests.length)).toEqual([1, 1]);
  // They are not kept: they are only parts of their elections.
  expect(memory.bytes).toBe(0);
  await readElections(OREGON, CALIFORNIA);
  loads = [];
  const kept = await memory.ofContests(await request(), [prop, mayor]);
  expect(slugsOf(kept)).toEqual([CALIFORNIA, OREGON]);
  expect(slugsOf(await memory.ofContests(await request(), [council]))).toEqual([OREGON]);
  expect(loads).toEqual([]);
  await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Third.' }));
  const [ballot] = await memory.ofContests(await request(), [mayor]);
  expect(ballot?.contestsById.get(mayor)?.picks?.records.toString()).toContain('Third.');
  expect(loads).toEqual(['picks']);
  expect(await memory.ofContests(await request(), [999_999])).toEqual([]);
});

test('a ballot that requests for single contests come from counts as used', async () => {
  const mayor = await idOf(`${OREGON}/mayor`);
  await readElections(OREGON, CALIFORNIA);
  // There is room for these two, and not for a third one.
  memory = new BallotMemory(memory.bytes + 500);
  await readElections(OREGON, CALIFORNIA);
  await readElections(CALIFORNIA);
  await memory.ofContests(await request(), [mayor]);
  const spanish = await request({ lang: 'es' });
  for await (const _ of memory.ofElections(spanish, ({ slug }) => slug === CALIFORNIA));
  loads = [];
  await memory.ofContests(await request(), [mayor]);
  expect(loads).toEqual([]);
  await readElections(CALIFORNIA);
  expect(loads).toEqual(['contests', 'picks']);
});

test('another database and another language have ballots of their own', async () => {
  await readElections(OREGON);
  loads = [];
  for (const other of [{ pool: await openPool() }, { lang: 'es' as const }]) {
    for await (const _ of memory.ofElections(await request(other), ({ slug }) => slug === OREGON));
    expect(loads).toEqual(['contests', 'picks']);
    loads = [];
  }
  await readElections(OREGON);
  expect(loads).toEqual([]);
});

test('an imported election is found', async () => {
  await readElections(OREGON);
  await loadCatalogue(url, [['elections', election({ slug: 'or-2030', date: '2030-11-05' })]]);
  expect(slugsOf(await readElections('or-2030'))).toEqual([]);
  expect(slugsOf(await readElections(OREGON, 'or-2030'))).toEqual([OREGON]);
});
