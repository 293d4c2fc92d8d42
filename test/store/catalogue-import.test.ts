import { expect, test } from '@jest/globals';
import { checkRecord } from '../../administration/catalogue/check-record.ts';
import { createRefusalList } from '../../administration/catalogue/refusal-list.ts';
import { importCatalogue } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();

const OPTIONS = { skipRefused: false, dryRun: false, maxRemovals: 0 };
const staged = (kind: StagedLine['kind'], line: number, record: unknown) =>
  checkRecord(kind, 'test.ndjson', line, record, createRefusalList());

test('an import that fails while reading its lines changes nothing and leaves the connection usable', async () => {
  async function* lines() {
    yield staged('endorser-categories', 1, category());
    throw new Error('the disk is gone');
  }
  await expect(importCatalogue(client, lines(), OPTIONS)).rejects.toThrow('the disk is gone');
  const { rows } = await client.query('SELECT count(*)::integer AS count FROM endorser_categories');
  expect(rows).toEqual([{ count: 0 }]);
});

test('a line that repeats the key of a good one is refused alone, without the lines that name the key', async () => {
  async function* lines() {
    yield staged('endorsers', 1, endorser());
    yield staged('endorser-categories', 2, category());
    yield staged('endorser-categories', 3, category({ name: 'Again' }));
    // The slugs of other kinds do not count.
    yield staged('elections', 4, election({ slug: category().slug }));
  }
  const { refused, counts } = await importCatalogue(client, lines(), { ...OPTIONS, skipRefused: true });
  expect(refused).toEqual({ 'endorser-categories': 1 });
  expect([counts.endorser_categories?.added, counts.endorsers?.added]).toEqual([1, 1]);
});

test('a thousand contests get their choices in order, and each is compared with the choices that stay', async () => {
  async function* lines(choicesOf: (line: number) => object[]) {
    yield staged('elections', 1, election());
    for (let line = 1; line <= 1_000; line += 1) {
      yield staged('contests', line, contest(`c${line}`, { choices: choicesOf(line) }));
    }
  }
  const all = lines(() => [choice('z'), choice('a'), choice('m')]);
  const { counts } = await importCatalogue(client, all, OPTIONS);
  expect(counts.choices).toEqual({ added: 3_000, changed: 0, unchanged: 0, removed: 0 });
  const { rows } = await client.query(
    `SELECT DISTINCT string_agg(choices.key, ' ' ORDER BY choices.ballot_order) AS keys, count(*)::integer AS count
    FROM choices GROUP BY contest_id`,
  );
  expect(rows).toEqual([{ keys: 'z a m', count: 3 }]);
  const ids = await client.query('SELECT key FROM contests ORDER BY id LIMIT 2');
  expect(ids.rows.map(({ key }) => key)).toEqual(['or-2026-11-03-general/c1', 'or-2026-11-03-general/c2']);
  const namedAsOneThatStays = choice('b', { label: 'a' });
  const parts = lines((line) => [choice('z'), ...(line === 1_000 ? [namedAsOneThatStays] : [])]);
  const { refusals } = await importCatalogue(client, parts, { ...OPTIONS, keepMissing: true });
  expect(refusals.map(({ name }) => name)).toEqual(['or-2026-11-03-general/c1000']);
});
