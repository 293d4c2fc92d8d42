import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  checkTable,
  MAX_ROWS,
  ROWS_ON_PAGE,
  reviewUpload,
  stageUpload,
  type UploadWork,
} from '../../administration/uploads/review.ts';
import { findUndoability, undoUntil } from '../../administration/uploads/undo.ts';
import { beginPositions } from '../../store/console/upload-positions.ts';
import {
  addBatch,
  findUpload,
  forgetContent,
  markPublished,
  saveUpload,
  type Upload,
  type UploadDecisions,
} from '../../store/console/uploads.ts';
import { reconcileTopic, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import { applySubmissions, SUBMISSIONS_TOPIC } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { choice, contest } from '../helpers/ballots/catalogue-records.ts';
import { endorse, pick, position } from '../helpers/ballots/submissions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client, url } = useTestDatabase();
const ELECTION = 'or-2026-11-03-general';
const ENDORSERS = [
  { slug: 'coast-gazette', name: 'Coast Gazette' },
  { slug: 'nation-herald', name: 'Nation Herald' },
];
const NOW = Date.parse('2026-10-01T12:00:00Z');
let accountId: number;

beforeAll(async () => {
  const gray = ['gray-d', 'gray-w'].map((key) =>
    choice(key, { candidate: { key: 'gray', full_name: 'Ann Gray' } }),
  );
  const onTwoLines = contest('lines', { choices: [...gray, choice('ann')] });
  await loadCatalogue(url, [...SMALL_BALLOT, ['contests', onTwoLines]]);
  await reconcileTopic(client, SUBMISSIONS_TOPIC, { topicId: 'topic', clusterId: 'cluster' });
});
beforeEach(async () => {
  accountId = await createAccount(client);
});

/** Saves an upload of a table about the general election, by the gazette. */
async function upload(
  lines: readonly string[],
  {
    isWhole = false,
    head = 'contest,choice',
    endorser = 'coast-gazette',
  }: { isWhole?: boolean; head?: string; endorser?: string | null } = {},
): Promise<Upload> {
  await client.query('BEGIN');
  const id = await saveUpload(client, {
    ...{ accountId, person: 'ann', fileName: 'a.csv', header: ['contest', 'choice'] },
    content: Buffer.from(`${head}\n${lines.join('\n')}\n`),
    settings: { map: [], endorser, election: ELECTION, isWhole },
  });
  await client.query('COMMIT');
  return (await findUpload(client, { accountId, id })) as Upload;
}

const workOn = (made: Upload, decisions: UploadDecisions = {}): UploadWork => ({
  ...{ accountId, endorsers: ENDORSERS, upload: { ...made, decisions }, now: NOW },
});

test('a table has at least one row below its columns, and at most 5,000', async () => {
  const table = (rows: number) => Buffer.from(`contest,choice\n${'mayor,ann\n'.repeat(rows)}`);
  expect(await checkTable(table(1))).toEqual(['contest', 'choice']);
  expect(await checkTable(table(MAX_ROWS))).toEqual(['contest', 'choice']);
  await expect(checkTable(table(0))).rejects.toThrow('The table has no rows below the names of its columns.');
  await expect(checkTable(table(MAX_ROWS + 1))).rejects.toThrow(
    'The table has more than 5,000 rows: upload it in several parts.',
  );
});

test.each([',\n', '\n'])('other work has its turns while a file full of %j is read', async (row) => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const content = Buffer.from(`contest,choice\n${row.repeat(4_000_000 / row.length)}`);
  await expect(checkTable(content)).rejects.toThrow('The table has no rows');
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});

test('rows to decide on come in pages, those that are decided on stay in them, and others are listed', async () => {
  // Lines 3 to 27 are open; the first of them is decided on.
  const made = await upload(['mayor,ann', ...Array.from({ length: 25 }, (_, at) => `mayor,Zyx Wvut ${at}`)]);
  const decisions = {
    3: { decision: 'no', endorser: null },
    4: { decision: `${ELECTION}/mayor/bob`, endorser: null },
  };
  const linesOf = (seen: { line: number }[]) => seen.map(({ line }) => line);
  const first = await reviewUpload(client, workOn(made, decisions), 0);
  expect(first).toMatchObject({ rows: 26, open: 23, askedBefore: 0, askedInAll: 25 });
  expect(linesOf(first.asked)).toEqual(Array.from({ length: ROWS_ON_PAGE }, (_, at) => 3 + at));
  expect(linesOf(first.listed.get('exact') ?? [])).toEqual([2]);
  expect([first.counts.get('exact'), first.counts.get('decided'), first.counts.get('left out')]).toEqual([
    1, 1, 1,
  ]);
  const next = await reviewUpload(client, workOn(made, decisions), 22);
  expect(next).toMatchObject({ open: 23, askedBefore: 20, askedInAll: 25 });
  expect(linesOf(next.asked)).toEqual([23, 24, 25, 26, 27]);
});

test('a decision for another election than the one that was chosen since is open again', async () => {
  const decided = { 2: { decision: 'ca-2026-11-03-general/prop-1/yes', endorser: null } };
  const { open, asked } = await reviewUpload(client, workOn(await upload(['mayor,Zyx Wvut']), decided), 0);
  expect([open, asked[0]?.fate]).toEqual([1, 'refused']);
  expect(asked[0]?.reason).toMatch(/^names the election or-2026-11-03-general, and is decided to mean ca-/);
});

test('a row is open again if the choice that was decided on does not exist', async () => {
  const made = await upload(['mayor,ann', 'mayor,Zyx Wvut']);
  const decisions = { 3: { decision: `${ELECTION}/mayor/nobody`, endorser: null } };
  const review = await reviewUpload(client, workOn(made, decisions), 0);
  expect(review).toMatchObject({ open: 1, askedInAll: 1, asked: [{ line: 3, fate: 'refused' }] });
});

test('of each kind that needs nobody, the first 200 rows are listed and all are counted', async () => {
  const { listed, counts, open } = await reviewUpload(
    client,
    workOn(await upload(Array(203).fill('mayor,ann'))),
    0,
  );
  expect([listed.get('exact')?.length, counts.get('exact'), open]).toEqual([200, 203, 0]);
});

async function stage(work: UploadWork) {
  await client.query('BEGIN');
  try {
    return await stageUpload(client, work);
  } finally {
    await client.query('ROLLBACK');
  }
}

test('only a whole list withdraws, and not while a row is open that may mean what is withdrawn', async () => {
  await applySubmissions(
    client,
    ...['ann', 'bob'].map((choice) => endorse('coast-gazette', 'council', choice)),
    endorse('nation-herald', 'council', 'cyd'),
  );
  const lines = ['mayor,ann', 'council,ann', 'mayor,Zyx Wvut'];
  const [open, closed] = [{}, { 4: { decision: 'no', endorser: null } }];
  const whole = await upload(lines, { isWhole: true });
  const part = await upload(lines);

  expect(await stage(workOn(part, open))).toMatchObject({ leftOut: 1, removals: [], refusal: null });
  expect(await stage(workOn(whole, open))).toMatchObject({
    leftOut: 1,
    refusal: expect.stringMatching(/^1 row is open, and as the whole list the table would withdraw/),
    removals: [{ records: [{ removed: 1 }] }],
  });
  const effects = await stage(workOn(whole, closed));
  expect(effects).toMatchObject({ leftOut: 0, withoutPick: 1, refusal: null, needsConsent: false });
  const two = await upload(['mayor,Zyx Wvut', 'mayor,Zyx Xvut', 'council,ann'], { isWhole: true });
  expect((await stage(workOn(two))).refusal).toMatch(/^2 rows are open/);
  const review = { head: 'contest,choice,match_grade,decision', isWhole: true };
  const decided = await stage(workOn(await upload(['mayor,Anne,close,ann'], review)));
  expect(decided.refusal).toMatch(
    /^A review file has only the rows that needed a decision, .* others: go back .* and clear "This is the whole list" there\.$/,
  );
});

test('a row by an endorser for whom the account may not publish is open, even if the endorser exists', async () => {
  const made = await upload(['mayor,ann']);
  const work = { ...workOn(made), endorsers: ENDORSERS.slice(1) };
  expect((await stage(work)).leftOut).toBe(1);
});

test('each value of an endorsement that differs is a change, and the preview is of no other source', async () => {
  const stored = {
    ...{ rank: 1, statement: 'Ours.', statement_es: 'Nuestra.' },
    ...{ source_url: 'https://example.org/a', published_on: '2026-09-01' },
  };
  await applySubmissions(
    client,
    endorse('coast-gazette', 'sheriff', 'ann', stored),
    endorse('coast-gazette', 'sheriff', 'bob', { rank: 2 }),
  );
  const of = async (column: string, value: string, choice = 'ann') => {
    accountId = await createAccount(client);
    return stage(workOn(await upload([`sheriff,${choice},${value}`], { head: `contest,choice,${column}` })));
  };
  for (const [column, present] of Object.entries(stored)) {
    const other = { rank: '3', source_url: 'https://example.org/b', published_on: '2026-09-02' }[column];
    expect((await of(column, String(present))).counts).toMatchObject({ changed: 0, unchanged: 1 });
    expect((await of(column, other ?? 'Other.')).counts).toMatchObject({ changed: 1, unchanged: 0 });
  }
  const [one, two] = [await of('source', 'Page 1', 'bob'), await of('source', 'Page 2', 'bob')];
  expect([one.counts, one.digest === two.digest]).toEqual([two.counts, false]);
});

test('of several endorsers, each has its own list, withdrawals and repeated rows', async () => {
  await applySubmissions(
    client,
    ...['coast-gazette', 'nation-herald'].map((slug) =>
      position(slug, 'council', [pick('ann'), pick('bob')]),
    ),
    position('coast-gazette', 'mayor', [pick('dee')]),
    position('coast-gazette', 'sheriff', []),
    position('coast-gazette', 'prop-1', [pick('yes')]),
  );
  const table = ['council,ann,Coast Gazette', 'council,bob,Nation Herald', 'council,bob,Nation Herald'];
  const whole = { isWhole: true, head: 'contest,choice,newspaper', endorser: null };
  const { counts, repeated, removals } = await stage(workOn(await upload(table, whole)));
  expect([counts, repeated]).toEqual([{ created: 0, changed: 0, unchanged: 2, withdrawn: 3 }, 1]);
  expect(removals).toEqual([
    { from: `coast-gazette in ${ELECTION}`, records: [{ kind: 'endorsements', removed: 2, of: 3 }] },
    { from: `nation-herald in ${ELECTION}`, records: [{ kind: 'endorsements', removed: 1, of: 2 }] },
  ]);
  // An endorser that a row probably means, and a person has said that it does not, keeps its list.
  const close = await upload(['council,ann,Nation Herald', 'council,ann,Coast Gazete'], whole);
  const left = await stage(workOn(close, { 3: { decision: 'no', endorser: null } }));
  expect([left.removals.map(({ from }) => from), left.leftOut]).toEqual([
    [`nation-herald in ${ELECTION}`],
    0,
  ]);
  const often = await upload([...Array(501).fill('mayor,dee'), 'council,ann', 'council,bob'], {
    isWhole: true,
  });
  expect(await stage(workOn(often))).toMatchObject({ refusal: null, repeated: 500 });
  const both = await upload(['council,ann,Coast Gazette', 'council,ann,Nation Herald'], whole);
  expect((await stage(workOn(both))).repeated).toBe(0);
});

test('a position is crowded by what its endorser holds already, with the ranks that the table changes', async () => {
  await applySubmissions(
    client,
    position('coast-gazette', 'council', [pick('ann'), pick('bob')]),
    position('coast-gazette', 'sheriff', [pick('ann', { rank: 1 }), pick('bob', { rank: 2 })]),
    position('coast-gazette', 'mayor', []),
  );
  const crowdedBy = async (head: string, ...lines: string[]) => {
    const { crowded } = await stage(workOn(await upload(lines, { head, endorser: null })));
    return crowded.map(({ endorser, title, labels, hasRankTwice }) => [
      endorser,
      title,
      labels,
      hasRankTwice,
    ]);
  };
  const head = 'contest,choice,newspaper';
  expect(await crowdedBy(head, 'council,cyd,Coast Gazette', 'council,ann,Nation Herald')).toEqual([
    ['coast-gazette', 'Title of council', ['ann', 'bob', 'cyd'], false],
  ]);
  expect(await crowdedBy(`${head},rank`, 'sheriff,bob,Coast Gazette,1')).toEqual([
    ['coast-gazette', 'Title of sheriff', ['ann', 'bob'], true],
  ]);
  // A candidate on two lines is one choice of a voter.
  expect(await crowdedBy(head, 'lines,gray-d,Coast Gazette', 'lines,gray-w,Coast Gazette')).toEqual([]);
  expect(await crowdedBy(head, 'lines,gray-d,Coast Gazette', 'lines,ann,Coast Gazette')).toHaveLength(1);
});

test('an upload can be undone once all of it is applied, as long as that and the changes since are known', async () => {
  const keptMs = 3_600_000;
  const made = await upload(['mayor,ann']);
  const find = async (now: number, of = made) => {
    const present = (await findUpload(client, { accountId, id: of.id })) as Upload;
    return findUndoability(client, { upload: present, keptMs, now });
  };
  expect(await find(NOW)).toBe('never');
  await beginPositions(client, made.id);
  await forgetContent(client, made.id);
  await addBatch(client, made.id, { ordinal: 1, submissions: '[]', count: 2 });
  expect(await find(NOW)).toBe('never');
  const { rows } = await client.query(
    `INSERT INTO publications (account_id, topic_id, endorsers, contests, partitions, offsets, after_sequence, after_rejection)
     VALUES ($1, 'topic', '{a,a}', '{b,c}', '{3,3}', '{40,41}', 0, 0) RETURNING id::int`,
    [accountId],
  );
  await markPublished(client, made.id, { ordinal: 1, count: 2, publicationId: rows[0].id });
  const sent = (await findUpload(client, { accountId, id: made.id })) as Upload;
  const end = undoUntil(sent, keptMs).getTime();
  expect(end).toBe(sent.changedAt.getTime() + keptMs);
  await resetConsumerOffset(client, SUBMISSIONS_TOPIC, 3, 41);
  expect(await find(end - 1)).toBe('early');
  await resetConsumerOffset(client, SUBMISSIONS_TOPIC, 3, 42);
  expect(await find(end - 1)).toBe('possible');
  expect(await find(end)).toBe('late');
  // The topic was made anew.
  await client.query("UPDATE publications SET topic_id = 'former' WHERE account_id = $1", [accountId]);
  expect(await find(end - 1)).toBe('late');
});
