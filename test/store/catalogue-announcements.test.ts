import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { hashContent } from '../../schemas/endorsement-content.ts';
import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import { announceLeftovers } from '../../store/endorsements/announce-leftovers.ts';
import { findChangedSince } from '../../store/endorsements/changed-since.ts';
import { appendChanges, lockStreamHead } from '../../store/stream/change-log.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { type CatalogueLine, stageLines } from '../helpers/ballots/catalogue.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useClient, usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { loadLoggedChanges } from '../helpers/postgres/logged-changes.ts';
import { isWaiting } from '../helpers/postgres/overlap.ts';
import { until } from '../helpers/until.ts';

const { client, url } = useTestDatabase();
const other = useClient(url, { pipeline: true });
const pool = usePool(url);

const BAKERS = 'bakers-local-1';
const FERNVILLE = {
  ocd_id: 'ocd-division/country:us/state:or/place:fernville',
  name: 'Fernville',
  level: 'city',
  type: 'place',
  state: 'OR',
};
/** A contest in Fernville. */
const local = (slug: string, values: object = {}): CatalogueLine => [
  'contests',
  contest(slug, { district: FERNVILLE, ...values }),
];
const START: CatalogueLine[] = [
  ['endorser-categories', category()],
  ['endorser-categories', category({ slug: 'newspaper', name: 'Newspaper' })],
  ['endorsers', endorser()],
  ['endorsers', endorser({ slug: 'gazette', name: 'Gazette', category: 'newspaper' })],
  ['elections', election()],
  local('mayor'),
  local('council'),
];

async function load(lines: CatalogueLine[], on = client, dryRun = false): Promise<CatalogueImport> {
  return importCatalogue(on, stageLines(lines), {
    skipRefused: false,
    dryRun,
    maxRemovals: 100,
    allowRenames: true,
  });
}

interface Logged {
  type: string;
  fromCatalogue: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the shape of these bodies themselves.
  body: any;
}

async function changes(): Promise<Logged[]> {
  const logged = await loadLoggedChanges(client);
  return logged.map(({ type, fromCatalogue, body }) => ({ type, fromCatalogue, body }));
}

/** The changes of catalogue edits, in a form that is easy to compare. */
async function announced(show: (body: Logged['body']) => unknown): Promise<[string, unknown][]> {
  return (await changes())
    .filter(({ fromCatalogue }) => fromCatalogue)
    .map(({ type, body }) => [type, show(body)]);
}

beforeAll(async () => {
  await load(START);
});

/** Bakers and the gazette endorse Ann for mayor, and the bakers Bob for the council. */
beforeEach(async () => {
  await client.query('TRUNCATE endorsements, change_log');
  await load(START);
  await client.query('TRUNCATE endorsements, change_log');
  await applySubmissions(
    client,
    endorse(BAKERS, 'mayor', 'ann', { statement: 'Ann knows bread.' }),
    endorse('gazette', 'mayor', 'ann'),
    endorse(BAKERS, 'council', 'bob'),
  );
});

test('INV-13: a renamed election updates every endorsement in it, with the new name and all other values', async () => {
  const { announced: events } = await load([['elections', election({ name: 'Renamed' })]]);
  expect(events).toEqual({ created: 0, updated: 3, deleted: 0 });
  const [before, , , after] = await changes();
  expect(after).toEqual({
    type: 'updated',
    fromCatalogue: true,
    body: { ...before?.body, election: { ...before?.body.election, name: 'Renamed' } },
  });
});

test('the hash of an announced endorsement is that of its announced content', async () => {
  await load([['elections', election({ name: 'Renamed' })]]);
  const { rows } = await client.query(
    'SELECT id::int, content_hash::text AS hash FROM endorsements ORDER BY id',
  );
  const bodies = (await changes()).slice(3).map(({ body }) => body);
  expect(rows).toEqual(bodies.map((body) => ({ id: body.endorsement.id, hash: String(hashContent(body)) })));
});

/** Files with a council that has these values. */
const council = (values: object): CatalogueLine[] => [local('mayor'), local('council', values)];
/** Files with a council whose choice Bob has these values. */
const bob = (values: object): CatalogueLine[] =>
  council({ choices: [choice('ann'), choice('bob', { ...values })] });

const EDITS: [string, CatalogueLine[], (body: Logged['body']) => unknown, unknown[]][] = [
  [
    "a category's name",
    [['endorser-categories', category({ name: 'Unions' })]],
    (body) => body.endorser.category.name,
    ['Unions', 'Unions'],
  ],
  [
    "an endorser's name",
    [['endorsers', endorser({ name: 'B.' })]],
    (body) => body.endorser.name,
    ['B.', 'B.'],
  ],
  [
    "an election's date",
    [['elections', election({ date: '2026-11-10' })]],
    (body) => body.election.date,
    Array(3).fill('2026-11-10'),
  ],
  [
    "an election's type",
    [['elections', election({ type: 'runoff' })]],
    (body) => body.election.type,
    Array(3).fill('runoff'),
  ],
  [
    "a district's name",
    ['mayor', 'council'].map((slug) => local(slug, { district: { ...FERNVILLE, name: 'Fern' } })),
    (body) => body.contest.district.name,
    Array(3).fill('Fern'),
  ],
  ["a contest's title", council({ title: 'City council' }), (body) => body.contest.title, ['City council']],
  [
    "a contest's number of votes",
    council({ votes_allowed: null }),
    (body) => body.contest.votes_allowed,
    [null],
  ],
  ["a choice's label", bob({ label: 'Bob B.' }), (body) => body.choice.label, ['Bob B.']],
  ["a choice's party", bob({ party: 'Greens' }), (body) => body.choice.party, ['Greens']],
  ["a choice's withdrawal", bob({ withdrawn: true }), (body) => body.choice.withdrawn, [true]],
];

test.each(EDITS)(
  'INV-13: %s is announced for all endorsements that carry it',
  async (_name, lines, show, expected) => {
    await load(lines);
    expect(await announced(show)).toEqual(expected.map((value) => ['updated', value]));
  },
);

/** Values that filters use: before and after, in two bodies. */
const MOVES: [string, CatalogueLine[], (body: Logged['body']) => unknown, [unknown, unknown]][] = [
  [
    "an endorser's category",
    [['endorsers', endorser({ category: 'newspaper' })]],
    (body) => body.endorser.category.slug,
    ['labor', 'newspaper'],
  ],
  [
    "an endorser's state",
    [['endorsers', endorser({ state: 'national' })]],
    (body) => body.endorser.state,
    ['OR', 'national'],
  ],
  [
    "an election's state",
    [
      ['elections', election({ state: 'CA' })],
      ...['mayor', 'council'].map((slug) => local(slug, { district: { ...FERNVILLE, state: 'CA' } })),
    ],
    (body) => body.election.state,
    ['OR', 'CA'],
  ],
  [
    "a contest's kind",
    council({ kind: 'retention' }),
    (body) => body.contest.kind,
    ['candidate', 'retention'],
  ],
  [
    "the level of a contest's district",
    council({ district: { ...FERNVILLE, level: 'county' } }),
    (body) => body.contest.district.level,
    ['city', 'county'],
  ],
];

test.each(MOVES)(
  'INV-13: %s becomes a deletion with the old value followed by a creation with the new one',
  async (_name, lines, show, [before, after]) => {
    await load(lines);
    const events = await announced((body) => [body.endorsement.id, show(body)]);
    const ids = events.filter(([type]) => type === 'created').map(([, values]) => (values as [number])[0]);
    expect(ids.length).toBeGreaterThan(0);
    expect(events).toEqual(
      ids.flatMap((id) => [
        ['deleted', [id, before]],
        ['created', [id, after]],
      ]),
    );
  },
);

test("correcting a candidate's name keeps the candidate's id, and is announced", async () => {
  const corrected = (name: string): CatalogueLine[] => [
    local('mayor'),
    [
      'contests',
      contest('council', { choices: [choice('ann'), choice('bob', { candidate: { full_name: name } })] }),
    ],
  ];
  const [, , before] = await changes();
  await load(corrected('Bob B.'));
  await load(corrected('Robert B.'));
  const id = before?.body.choice.candidate.id;
  expect(await announced((body) => body.choice.candidate)).toEqual([
    ['updated', { id, full_name: 'Bob B.' }],
    ['updated', { id, full_name: 'Robert B.' }],
  ]);
});

test("two candidates that swap their names keep none of each other's values", async () => {
  const swapped = [
    choice('ann', { candidate: { full_name: 'bob' } }),
    choice('bob', { candidate: { full_name: 'ann' } }),
  ];
  const ids = async () =>
    (await client.query('SELECT id, full_name FROM candidates ORDER BY id')).rows.map(({ id }) => id);
  const before = await ids();
  await load([local('mayor'), local('council', { choices: swapped })]);
  expect(await ids()).toEqual(before);
});

test('INV-16: a candidate whose name another choice takes over stays with the name, and the renamed one is new', async () => {
  const named = (key: string, full_name: string) => choice(key, { candidate: { full_name } });
  const candidates = async () =>
    (
      await client.query(
        `SELECT h.key, h.candidate_id AS id, d.full_name AS name FROM choices h JOIN candidates d ON d.id = h.candidate_id
         JOIN contests c ON c.id = h.contest_id WHERE c.key LIKE '%/council' ORDER BY h.key`,
      )
    ).rows;
  await load([local('mayor'), local('council', { choices: [named('ann', 'Ann'), named('bob', 'Bob')] })]);
  const [ann, bob] = await candidates();
  await load([local('mayor'), local('council', { choices: [named('ann', 'Anna'), named('bob', 'Ann')] })]);
  const after = await candidates();
  expect(after).toEqual([
    { key: 'ann', id: expect.any(Number), name: 'Anna' },
    { key: 'bob', id: ann.id, name: 'Ann' },
  ]);
  expect([ann.id, bob.id]).not.toContain(after[0].id);
});

test('an import that changes no value of events makes no event', async () => {
  await load(START);
  await load([
    ['endorsers', endorser({ url: 'https://bakers.example' })],
    ['elections', election({ short_name: 'General' })],
    local('mayor', { description: 'Runs the city.' }),
    local('council'),
  ]);
  expect(await announced(() => null)).toEqual([]);
});

test('INV-13: a removed choice is withdrawn with the last announced values', async () => {
  const { announced: events } = await load([
    local('mayor', { title: 'Renamed', choices: [choice('bob')] }),
    local('council'),
  ]);
  expect(events).toEqual({ created: 0, updated: 0, deleted: 2 });
  expect(await announced((body) => [body.endorser.slug, body.contest.title])).toEqual([
    ['deleted', [BAKERS, 'Title of mayor']],
    ['deleted', ['gazette', 'Title of mayor']],
  ]);
});

test('INV-13: an edit that removes one choice and moves others withdraws the removed one, once', async () => {
  const { announced: events } = await load([
    ['endorsers', endorser({ slug: 'gazette', name: 'Gazette', category: 'labor' })],
    local('mayor'),
    local('council', { choices: [choice('ann')] }),
  ]);
  expect(events).toEqual({ created: 1, updated: 0, deleted: 2 });
  const { rows } = await client.query('SELECT count(*)::int AS count FROM endorsements');
  expect(rows).toEqual([{ count: 2 }]);
  await load(START);
  expect(await announced((body) => body.endorser.slug)).toEqual([
    ['deleted', 'gazette'],
    ['created', 'gazette'],
    ['deleted', BAKERS],
    ['deleted', 'gazette'],
    ['created', 'gazette'],
  ]);
});

test('INV-13: an endorsement that an edit moves and withdraws is deleted from copies of both filters', async () => {
  // After the commit and before the announcement, a list of newspapers shows the pick in the council.
  const { announced: events } = await load([
    ['endorsers', endorser({ category: 'newspaper' })],
    local('mayor'),
    local('council', { choices: [choice('ann')] }),
  ]);
  expect(events).toEqual({ created: 1, updated: 0, deleted: 3 });
  expect(await announced((body) => [body.contest.title, body.endorser.category.slug])).toEqual([
    ['deleted', ['Title of mayor', 'labor']],
    ['created', ['Title of mayor', 'newspaper']],
    ['deleted', ['Title of council', 'labor']],
    ['deleted', ['Title of council', 'newspaper']],
  ]);
});

test('INV-13: a part that an edit changes twice is deleted with the values from before the edit', async () => {
  await load([
    ['endorser-categories', category({ name: 'Unions' })],
    ['endorsers', endorser({ category: 'newspaper' })],
  ]);
  const events = await announced((body) => body.endorser.category.name);
  expect(events).toEqual([
    ['deleted', category().name],
    ['created', 'Newspaper'],
    ['deleted', category().name],
    ['created', 'Newspaper'],
  ]);
});

test('a dry run counts the events that the import would make, and changes nothing', async () => {
  const edits: CatalogueLine[] = [
    ['endorsers', endorser({ category: 'newspaper' })],
    ['elections', election({ name: 'Renamed' })],
    local('mayor'),
  ];
  const contents = async () =>
    (
      await client.query(
        `SELECT (SELECT json_agg(e ORDER BY id) FROM endorsers e) AS endorsers, (SELECT json_agg(l) FROM elections l) AS elections,
           (SELECT json_agg(c ORDER BY id) FROM contests c) AS contests, (SELECT json_agg(h) FROM stream_head h) AS head`,
      )
    ).rows;
  const before = await contents();
  const dry = await load(edits, client, true);
  expect(dry.announced).toEqual({ created: 1, updated: 1, deleted: 3 });
  expect(await contents()).toEqual(before);
  expect(await announced(() => null)).toEqual([]);
  const { counts, announced: events } = await load(edits);
  expect({ counts, announced: events }).toEqual({ counts: dry.counts, announced: dry.announced });
});

test('INV-13: an endorsement added during an import is announced too', async () => {
  // A writer with the stream's lock that has not committed yet.
  await other.query('BEGIN');
  await other.query('SELECT FROM stream_head FOR UPDATE');
  const importing = load([['elections', election({ name: 'Renamed' })]]);
  await until('the import to wait for the lock', () => isWaiting(other));
  await other.query(
    `INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
     SELECT e.id, c.id, h.id, c.election_id, now()
     FROM endorsers e, contests c JOIN choices h ON h.contest_id = c.id
     WHERE e.slug = 'gazette' AND c.key LIKE '%/council' AND h.key = 'ann'`,
  );
  await other.query('COMMIT');
  expect((await importing).announced).toEqual({ created: 0, updated: 4, deleted: 0 });
});

/** A statement of the longest events that a submission may make. */
const LONG = '政'.repeat(15_900);
const LONG_TITLE = { title: '市'.repeat(500) };

test('INV-15: a statement that grows during an import counts as well', async () => {
  const { body } = (await changes())[2] ?? {};
  await other.query('BEGIN');
  const head = await lockStreamHead(other);
  const importing = expect(load(council(LONG_TITLE))).rejects.toThrow(
    /the event of bakers-local-1 about "bob" in or-2026-11-03-general\/council would have/,
  );
  await until('the import to wait for the lock', () => isWaiting(other));
  await other.query('UPDATE endorsements SET statement = $1 WHERE id = $2', [LONG, body.endorsement.id]);
  await appendChanges(other, head, [
    { type: 'updated', body: { ...body, endorsement: { ...body.endorsement, statement: LONG } } },
  ]);
  await other.query('COMMIT');
  await importing;
  expect(await announced(() => null)).toEqual([]);
});

test('an event that is too large does not stop edits that withdraw it or do not make it larger', async () => {
  await load(council(LONG_TITLE));
  await client.query('UPDATE endorsements SET statement = $1', [`${LONG}${LONG}`]);
  await expect(load([['elections', election({ name: 'The general election of 2026' })]])).rejects.toThrow(
    /49,152, and 2 more would be too large/,
  );
  expect((await load(council({ title: '村'.repeat(500) }))).announced.updated).toBe(1);
  expect((await load(council({ title: 'Council' }))).announced.updated).toBe(1);
  const withdrawn = await load(council({ ...LONG_TITLE, choices: [choice('ann')] }));
  expect(withdrawn.announced).toEqual({ created: 0, updated: 0, deleted: 1 });
});

test('INV-15: the one event that would be too large is found among many with long texts', async () => {
  await client.query(
    `WITH many AS (
       INSERT INTO endorsers (slug, name, category) SELECT 'long-' || n, 'Long', 'labor' FROM generate_series(1, 60) n
       RETURNING id, slug)
     INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at, statement)
     SELECT many.id, c.id, h.id, c.election_id, now(), CASE slug WHEN 'long-60' THEN $1 ELSE left($1, 12000) END
     FROM many, contests c JOIN choices h ON h.contest_id = c.id WHERE c.key LIKE '%/council' AND h.key = 'bob'
     ORDER BY many.id`,
    [LONG],
  );
  await expect(load(council(LONG_TITLE))).rejects.toThrow(/the event of long-60 about .* may have 49,152\. /);
  await client.query(`DELETE FROM endorsements; DELETE FROM endorsers WHERE slug LIKE 'long-%'`);
});

test('an edit of the catalogue does not change a position', async () => {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const at = Number(rows[0]?.now);
  await load([local('mayor', { choices: [choice('bob')] })]);
  const said = { endorser: BAKERS, contest: 'or-2026-11-03-general/mayor', at };
  expect(await announced(() => null)).not.toEqual([]);
  expect(await findChangedSince(client, [said])).toEqual(new Set());
});

test('INV-13: apply and the announcer finish an edit that was killed between its announcements', async () => {
  // Three parts of announcements leave enough time to kill the import between two of them.
  await client.query(
    `WITH many AS (
       INSERT INTO endorsers (slug, name, category) SELECT 'many-' || n, 'Many', 'labor' FROM generate_series(1, 3000) n
       ON CONFLICT (slug) DO UPDATE SET name = excluded.name RETURNING id)
     INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
     SELECT many.id, c.id, h.id, c.election_id, now()
     FROM many, contests c JOIN choices h ON h.contest_id = c.id WHERE c.key LIKE '%/mayor' AND h.key = 'bob'`,
  );
  const renamed: CatalogueLine[] = [['elections', election({ name: 'Renamed' })]];
  const dry = await load(renamed, client, true);
  expect(dry.announced).toEqual({ created: 0, updated: 3003, deleted: 0 });
  const doomed = new pg.Client({ connectionString: url });
  doomed.on('error', () => {});
  await doomed.connect();
  const { rows: own } = await doomed.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const failed = expect(load(renamed, doomed)).rejects.toThrow();
  const left = async () =>
    Number((await other.query('SELECT count(*) AS count FROM stale_announcements')).rows[0]?.count);
  await until('the first part to be announced', async () => {
    const { rows } = await other.query('SELECT FROM change_log WHERE from_catalogue LIMIT 1');
    return rows.length > 0;
  });
  await other.query('SELECT pg_terminate_backend($1)', [own[0]?.pid]);
  await failed;
  // The import was killed in the middle.
  expect(await left()).toBeGreaterThan(1);
  expect(await announced(() => null)).not.toEqual([]);

  // Apply announces an endorsement before it changes it.
  const { rows: last } = await other.query<{ slug: string; id: string }>(
    `SELECT e.slug, n.id FROM stale_announcements s JOIN endorsements n ON n.id = s.endorsement_id
     JOIN endorsers e ON e.id = n.endorser_id ORDER BY n.id DESC LIMIT 1`,
  );
  const { slug, id } = last[0] ?? { slug: '', id: '' };
  await applySubmissions(client, endorse(slug, 'mayor', 'bob', { statement: 'Changed.' }));
  const ofLast = (await changes()).filter(({ body }) => body.endorsement.id === Number(id));
  expect(
    ofLast.map(({ type, fromCatalogue, body }) => [
      type,
      fromCatalogue,
      body.election.name,
      body.endorsement.statement,
    ]),
  ).toEqual([
    ['updated', true, 'Renamed', null],
    ['updated', false, 'Renamed', 'Changed.'],
  ]);

  // The consumers announce the others, each once.
  await announceLeftovers(pool, new AbortController().signal);
  expect(await left()).toBe(0);
  const ids = await announced((body) => body.endorsement.id);
  expect(ids).toHaveLength(3003);
  expect(new Set(ids.map(([, one]) => one)).size).toBe(3003);
  expect(await announceLeftovers(pool, new AbortController().signal)).toBeNull();
  await client.query(`DELETE FROM endorsements WHERE endorser_id IN (SELECT id FROM endorsers WHERE slug LIKE 'many-%');
    DELETE FROM endorsers WHERE slug LIKE 'many-%'`);
});
