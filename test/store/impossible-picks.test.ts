import { beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countRemovals } from '../../domain/removal-guard.ts';
import { createRandom } from '../../ops/demo/random.ts';
import { editCatalogue } from '../../store/catalogue/edit.ts';
import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import { removeElection } from '../../store/catalogue/removal.ts';
import { lockStreamHead } from '../../store/stream/change-log.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { BallotModel } from '../helpers/ballots/ballot-model.ts';
import { type CatalogueLine, SMALL_BALLOT, stageLines } from '../helpers/ballots/catalogue.ts';
import { choice, contest, endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse, pick, position } from '../helpers/ballots/submissions.ts';
import { useClient, useTestDatabase } from '../helpers/postgres/database.ts';
import { type LoggedChange, loadLoggedChanges } from '../helpers/postgres/logged-changes.ts';
import { isWaiting } from '../helpers/postgres/overlap.ts';
import { until } from '../helpers/until.ts';

const { client, url } = useTestDatabase();
const other = useClient(url);

interface Options {
  maxRemovals?: number | null;
  dryRun?: boolean;
  keepMissing?: boolean;
}

const load = (lines: CatalogueLine[], options: Options = {}): Promise<CatalogueImport> =>
  importCatalogue(client, stageLines(lines), {
    ...{ skipRefused: false, dryRun: false, maxRemovals: null, allowRenames: true },
    ...options,
  });

const ENDORSERS = ['ada', 'bo', 'cy', 'di'];
const KEYS = ['ann', 'bob', 'cyd', 'dee'];
const RANKED = { vote_method: 'ranked_choice', votes_allowed: null };
const mayor = (values: object, choices = KEYS.map((key) => choice(key))): CatalogueLine => [
  'contests',
  contest('mayor', { ...values, choices }),
];
const ranked = (...keys: string[]) => keys.map((key, index) => pick(key, { rank: index + 1 }));

beforeEach(async () => {
  await client.query('TRUNCATE elections, endorsers, contests, choices, change_log CASCADE');
  await load([
    ...SMALL_BALLOT.filter(([kind]) => kind === 'endorser-categories' || kind === 'elections'),
    ...ENDORSERS.map((slug): CatalogueLine => ['endorsers', endorser({ slug })]),
    mayor(RANKED),
  ]);
});

/** The held picks as `endorser choice rank`. */
async function held(): Promise<string[]> {
  const { rows } = await client.query<{ pick: string }>(
    `SELECT concat_ws(' ', e.slug, h.key, n.rank) AS pick FROM endorsements n
     JOIN endorsers e ON e.id = n.endorser_id JOIN choices h ON h.id = n.choice_id ORDER BY n.id`,
  );
  return rows.map((row) => row.pick);
}

/** The changes of the last edit as `type endorser label rank`. */
async function announced(): Promise<string[]> {
  const changes = (await loadLoggedChanges(client)).filter(({ fromCatalogue }) => fromCatalogue);
  return changes.map(({ type, body: { endorser: by, choice: of, endorsement } }) =>
    [type, by.slug, of.label, endorsement.rank].filter((part) => part !== null).join(' '),
  );
}

test('a contest that stops being ranked leaves each endorser its first standing choice, without a rank', async () => {
  await applySubmissions(
    client,
    position('ada', 'mayor', ranked('ann', 'bob')),
    position('bo', 'mayor', ranked('dee', 'cyd', 'bob')),
    position('cy', 'mayor', [pick('ann'), pick('bob', { rank: 1 }), pick('cyd', { rank: 2 })]),
    position('di', 'mayor', [pick('dee', { rank: 3 })]),
  );
  const choices = KEYS.map((key) => choice(key, { withdrawn: key === 'dee' }));
  const { announced: counts } = await load([mayor({}, choices)], { maxRemovals: 5 });
  // Dee is not standing. Picks without a rank are first choices, together with the pick of rank 1.
  expect(await held()).toEqual(['ada ann', 'bo cyd', 'cy ann', 'cy bob']);
  expect(await announced()).toEqual([
    'updated ada ann',
    'deleted ada bob 2',
    'deleted bo dee 1',
    'updated bo cyd',
    'deleted bo bob 3',
    'updated cy ann',
    'updated cy bob',
    'deleted cy cyd 2',
    'deleted di dee 3',
  ]);
  expect(counts).toEqual({ created: 0, updated: 4, deleted: 5 });
});

test('beside a pick without a rank, a later or withdrawn choice is withdrawn even if no other pick has rank 1', async () => {
  await applySubmissions(
    client,
    position('ada', 'mayor', [pick('ann'), pick('bob', { rank: 2 })]),
    position('bo', 'mayor', [pick('ann'), pick('dee', { rank: 1 })]),
  );
  const choices = KEYS.map((key) => choice(key, { withdrawn: key === 'dee' }));
  await load([mayor({}, choices)], { maxRemovals: 5 });
  expect(await held()).toEqual(['ada ann', 'bo ann']);
});

test('each contest that stops being ranked is settled for itself, and one that stays ranked keeps its ranks', async () => {
  const choices = KEYS.map((key) => choice(key));
  const three = (values: object): CatalogueLine[] => [
    ...['mayor', 'council'].map((slug): CatalogueLine => ['contests', contest(slug, { ...values, choices })]),
    ['contests', contest('sheriff', { ...RANKED, choices, title: JSON.stringify(values) })],
  ];
  await load(three(RANKED));
  await applySubmissions(
    client,
    position('ada', 'mayor', ranked('ann', 'bob')),
    position('ada', 'council', [pick('cyd', { rank: 2 })]),
    position('ada', 'sheriff', ranked('ann', 'bob')),
  );
  await load(three({}), { maxRemovals: 5 });
  expect(await held()).toEqual(['ada ann', 'ada cyd', 'ada ann 1', 'ada bob 2']);
});

test('a dry run counts the same settled picks, and changes nothing', async () => {
  await applySubmissions(client, position('ada', 'mayor', ranked('ann', 'bob')));
  const { announced: counts } = await load([mayor({})], { dryRun: true });
  expect(counts).toEqual({ created: 0, updated: 1, deleted: 1 });
  expect(await held()).toEqual(['ada ann 1', 'ada bob 2']);
});

test('an edit that also moves an endorsement deletes it with its rank and creates it without', async () => {
  await applySubmissions(client, position('ada', 'mayor', ranked('ann')));
  await load([mayor({ kind: 'retention' })]);
  expect(await announced()).toEqual(['deleted ada ann 1', 'created ada ann']);
});

test('a submission right after the edit finds the settled position, and may not rank', async () => {
  await applySubmissions(client, position('ada', 'mayor', ranked('ann', 'bob')));
  await load([mayor({})]);
  await applySubmissions(client, endorse('ada', 'mayor', 'cyd'), endorse('bo', 'mayor', 'ann', { rank: 1 }));
  expect(await held()).toEqual(['ada ann', 'ada cyd']);
});

test('a submission before a pick is announced as withdrawn endorses the new meaning, even if it names the same choice', async () => {
  await applySubmissions(client, endorse('ada', 'mayor', 'ann', { rank: 1 }));
  await client.query(
    `WITH head AS (UPDATE stream_head SET has_stale = true)
     INSERT INTO stale_announcements (endorsement_id, settled) SELECT id, 'withdrawn' FROM endorsements`,
  );
  await applySubmissions(client, endorse('ada', 'mayor', 'ann', { rank: 1 }));
  expect(await held()).toEqual(['ada ann 1']);
  expect((await loadLoggedChanges(client)).map(({ type }) => type)).toEqual([
    'created',
    'deleted',
    'created',
  ]);
});

test('a pick that is committed while the edit waits for the stream counts when the first choice is found', async () => {
  await applySubmissions(client, position('ada', 'mayor', [pick('bob', { rank: 2 })]));
  await other.query('BEGIN');
  await lockStreamHead(other);
  const importing = load([mayor({})], { maxRemovals: 5 });
  await until('the import to wait for the lock', () => isWaiting(other));
  await other.query(
    `INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, rank, updated_at)
     SELECT e.id, c.id, h.id, c.election_id, 1, now() FROM endorsers e, contests c JOIN choices h ON h.contest_id = c.id
     WHERE e.slug = 'ada' AND h.key = 'ann'`,
  );
  await other.query('COMMIT');
  await importing;
  expect(await held()).toEqual(['ada ann']);
});

test('a contest that becomes ranked, or allows fewer votes, keeps all picks', async () => {
  await load([mayor({ vote_method: 'multi_seat', votes_allowed: 3 })]);
  await applySubmissions(client, position('ada', 'mayor', [pick('ann'), pick('bob'), pick('cyd')]));
  await load([mayor({ vote_method: 'multi_seat', votes_allowed: 2 })]);
  await load([mayor(RANKED)]);
  expect(await held()).toEqual(['ada ann', 'ada bob', 'ada cyd']);
});

const NONE = choice('dee', { label: 'None of these candidates', candidate: null, option: 'none_of_these' });

test('a candidate who becomes none_of_these loses the endorsements, and the other way round', async () => {
  const three = KEYS.slice(0, 3).map((key) => choice(key));
  await applySubmissions(client, endorse('ada', 'mayor', 'dee'), endorse('bo', 'mayor', 'ann'));
  await load([mayor(RANKED, [...three, NONE])]);
  expect(await held()).toEqual(['bo ann']);
  await applySubmissions(client, endorse('ada', 'mayor', 'dee'));
  await load([mayor(RANKED, [...three, choice('dee')])]);
  expect(await held()).toEqual(['bo ann']);
  expect(await announced()).toEqual(['deleted ada dee', 'deleted ada None of these candidates']);
});

const answers = (yes: string, no: string, isAnswered = true) =>
  [yes, no].map((key, index) =>
    choice(key, {
      ...{ label: key, candidate: null },
      ...(isAnswered ? { measure_answer: index === 0 ? 'yes' : 'no' } : {}),
    }),
  );

test('an answer that is turned round loses its endorsements, but one that is filled in keeps them', async () => {
  const plain = { kind: 'measure', votes_allowed: 1 };
  await load([mayor(plain, answers('for', 'against', false))]);
  await applySubmissions(client, endorse('ada', 'mayor', 'for'), endorse('bo', 'mayor', 'against'));
  await load([mayor({ ...plain, vote_method: 'yes_no' }, answers('for', 'against'))]);
  expect(await held()).toEqual(['ada for', 'bo against']);
  await load([mayor({ ...plain, vote_method: 'yes_no' }, answers('against', 'for'))]);
  expect(await held()).toEqual([]);
});

test('settled picks count as withdrawn, without the choices that stay', async () => {
  await applySubmissions(
    client,
    ...ENDORSERS.map((slug) => position(slug, 'mayor', ranked('ann', 'bob', 'cyd'))),
  );
  const refused = await load([mayor({})]);
  expect(refused.removalsRefused).toEqual([
    {
      from: 'or-2026-11-03-general',
      records: [
        { kind: 'contests', removed: 0, of: 1 },
        { kind: 'choices', removed: 0, of: null },
        { kind: 'endorsements', removed: 8, of: 12 },
      ],
    },
  ]);
  expect(await held()).toHaveLength(12);
  const turned = [...KEYS.slice(1).map((key) => choice(key)), choice('ann', { ...NONE, key: 'ann' })];
  const both = await load([mayor({}, turned)], { maxRemovals: 7, keepMissing: true });
  // Ann's four picks go, and then bob is the first of each endorser.
  expect(both.removalsRefused?.[0]?.records.map(({ removed }) => removed)).toEqual([0, 0, 8]);
});

/** The endorsements that a copy of these changes holds: bodies by id. */
function copyOf(changes: readonly LoggedChange[]): Map<number, unknown> {
  const copy = new Map<number, unknown>();
  for (const { type, endorsementId, body } of changes) {
    if (type === 'deleted') copy.delete(endorsementId);
    else copy.set(endorsementId, body);
  }
  return copy;
}

/** The endorsements of which these changes leave nothing. */
function countGone(changes: readonly LoggedChange[]): number {
  const last = new Map(changes.map(({ endorsementId, type }) => [endorsementId, type]));
  return [...last.values()].filter((type) => type === 'deleted').length;
}

test('INV-13: random edits withdraw as many endorsements as they announce and ask for, and leave no impossible pick', async () => {
  const seen = { refused: 0, withdrawn: 0, unranked: 0 };
  const run = async (seed: number) => {
    const model = new BallotModel(createRandom(seed));
    await client.query('TRUNCATE elections, endorser_categories, endorsers, districts, change_log CASCADE');
    await load(model.all);
    for (let step = 0; step < 25; step += 1) {
      await applySubmissions(client, ...model.submissions(), ...model.submissions());
      const before = await loadLoggedChanges(client);
      const edit = model.edit();
      if ('removeElection' in edit) {
        const work = async () => ({ result: await removeElection(client, edit.removeElection), keep: true });
        await editCatalogue(client, work, { dryRun: false });
      } else {
        const first = await load(edit.import, edit);
        const asked = countRemovals(first.removalsRefused ?? []);
        if (!first.loaded) {
          seen.refused += 1;
          expect(await loadLoggedChanges(client)).toEqual(before);
          expect((await load(edit.import, { ...edit, maxRemovals: asked - 1 })).loaded).toBe(false);
          expect((await load(edit.import, { ...edit, maxRemovals: asked })).loaded).toBe(true);
        }
        const gone = countGone((await loadLoggedChanges(client)).slice(before.length));
        seen.withdrawn += gone;
        const counted = (first.removalsRefused ?? [])
          .flatMap(({ records }) => records.filter(({ kind }) => kind === 'endorsements'))
          .reduce((sum, { removed }) => sum + removed, 0);
        if (!first.loaded) expect(gone).toBe(counted);
      }
      const changes = await loadLoggedChanges(client);
      seen.unranked += changes
        .slice(before.length)
        .filter(({ type, body }) => type === 'updated' && body.contest.vote_method === 'plurality').length;
      const { rows } = await client.query<{ id: number; rank: number | null; possible: boolean }>(
        `SELECT n.id::int, n.rank, c.removed_at IS NULL AND h.removed_at IS NULL
           AND (n.rank IS NULL OR c.vote_method = 'ranked_choice') AS possible
         FROM endorsements n JOIN contests c ON c.id = n.contest_id JOIN choices h ON h.id = n.choice_id`,
      );
      expect(rows.filter(({ possible }) => !possible)).toEqual([]);
      const ranks = new Map(rows.map(({ id, rank }) => [id, rank]));
      const copied = [...copyOf(changes)].map(([id, body]) => [
        id,
        (body as LoggedChange['body']).endorsement.rank,
      ]);
      expect(new Map(copied as [number, number | null][])).toEqual(ranks);
    }
  };
  await fc.assert(fc.asyncProperty(fc.nat(), run), { seed: 35, numRuns: 2, endOnFailure: true });
  // The edits did what this test is about.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(2);
});
