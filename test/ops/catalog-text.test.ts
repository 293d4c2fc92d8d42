import { expect, test } from '@jest/globals';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { choice, contest, election, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { counts, GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';
import { loadLoggedChanges } from '../helpers/postgres/logged-changes.ts';

const { client, importFiles } = useCatalogueCommand();

const TITLES = { title: 'Mayor of Fernville', short_title: 'Mayor', description: 'One\n\ntwo.' };
const ANN = choice('ánn', { label: 'Zoé Ann', candidate: { full_name: 'Zoé Ann' }, party: 'Green' });
const MAYOR = contest('mañana', { ...TITLES, choices: [ANN, choice('bob')] });
const FILES = { ...GOOD, 'contests.ndjson': ndjson([MAYOR, contest('council')]) };

/** Texts as an edit by hand, or a program without the one form of text, can leave them. */
const BLUR = `
  UPDATE contests SET key = normalize(key, NFD), title = 'Mayor  of Fernville', short_title = E'Mayor\\u200b',
    description = E' One\\r\\n\\r\\ntwo.' WHERE short_title = 'Mayor';
  UPDATE choices SET key = normalize(key, NFD) || ' ', label = E'Zoé\\u00a0Ann', party = 'Green ' WHERE party = 'Green';
  UPDATE candidates SET key = normalize(key, NFD), full_name = normalize(full_name, NFD) WHERE key = 'Zoé Ann';
  UPDATE districts SET name = E'Fern\\u00adville';
  UPDATE endorsers SET name = ' ' || name;
  UPDATE elections SET name = name || E'\\t'`;

async function ids(): Promise<unknown[]> {
  const { rows } = await client.query(`
    SELECT 'district' AS kind, id FROM districts UNION ALL SELECT 'contest', id FROM contests
    UNION ALL SELECT 'candidate', id FROM candidates UNION ALL SELECT 'choice', id FROM choices
    UNION ALL SELECT 'endorser', id FROM endorsers UNION ALL SELECT 'election', id FROM elections
    UNION ALL SELECT 'endorsement', id FROM endorsements ORDER BY kind, id`);
  return rows;
}

async function load(): Promise<void> {
  await client.query('TRUNCATE change_log');
  expect((await importFiles(FILES)).status).toBe(0);
  await applySubmissions(
    client,
    endorse('bakers-local-1', 'mañana', 'ánn'),
    endorse('bakers-local-1', 'council', 'ann'),
  );
}

const newChanges = async () => (await loadLoggedChanges(client)).filter(({ fromCatalogue }) => fromCatalogue);

test('an import gives stored texts their one form: ids stay, each endorsement gets one event', async () => {
  await load();
  const before = await ids();
  const [first] = await loadLoggedChanges(client);
  await client.query(BLUR);
  const { status, printed } = await importFiles(FILES);
  expect([status, printed.at(-1)]).toEqual([0, 'Endorsements announced: 2 updated.']);
  expect(counts(printed, 'contests')).toEqual([0, 1, 1, 0, 0]);
  expect(await ids()).toEqual(before);
  const changes = await newChanges();
  expect(changes.map(({ type }) => type)).toEqual(['updated', 'updated']);
  expect(changes[0]?.body).toEqual(first?.body);
  const { rows } = await client.query(`
    SELECT c.key, c.description, h.key AS choice, p.key AS candidate
    FROM choices h JOIN contests c ON c.id = h.contest_id JOIN candidates p ON p.id = h.candidate_id
    WHERE h.party = 'Green'`);
  const key = MAYOR.key;
  expect(rows).toEqual([{ key, description: TITLES.description, choice: 'ánn', candidate: 'Zoé Ann' }]);

  const again = await importFiles(FILES);
  expect(counts(again.printed, 'contests')).toEqual([0, 0, 2, 0, 0]);
  expect(await newChanges()).toHaveLength(2);
});

test.each([[[]], [['--keep-missing']]])(
  'of two stored choices that became one, the import keeps the one in the file: %j',
  async (options) => {
    await load();
    await client.query(`
      INSERT INTO choices (contest_id, key, label, ballot_order)
      SELECT contest_id, E' a\\u200bnn', 'ann', 3 FROM choices JOIN contests ON contests.id = contest_id
      WHERE choices.key = 'ann' AND contests.short_title = 'council'`);
    await client.query(`
      UPDATE endorsements SET choice_id = (SELECT id FROM choices WHERE key = E' a\\u200bnn')
      WHERE choice_id IN (SELECT id FROM choices WHERE key = 'ann')`);
    const { status, printed } = await importFiles(FILES, ...options);
    expect(status).toBe(0);
    expect(counts(printed, 'choices')[3]).toBe(1);
    expect((await newChanges()).map(({ type }) => type)).toEqual(['deleted']);
    const { rows } = await client.query(
      `SELECT h.key FROM choices h JOIN contests c ON c.id = h.contest_id
       WHERE c.short_title = 'council' AND h.removed_at IS NULL ORDER BY h.ballot_order`,
    );
    expect(rows).toEqual([{ key: 'ann' }, { key: 'bob' }]);
  },
);

test('keys of elections that the files do not name stay as they are', async () => {
  const other = 'or-2026-05-19-primary';
  await load();
  await importFiles({ 'contests.ndjson': ndjson([contest('mayor', { election: other })]) });
  await client.query(`UPDATE contests SET key = key || ' ' WHERE key LIKE '${other}%'`);
  await importFiles({
    'elections.ndjson': ndjson([election()]),
    'contests.ndjson': FILES['contests.ndjson'],
  });
  const { rows } = await client.query(`SELECT key FROM contests WHERE key LIKE '${other}%'`);
  expect(rows).toEqual([{ key: `${other}/mayor ` }]);
});
