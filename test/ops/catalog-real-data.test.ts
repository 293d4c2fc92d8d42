/**
 * Loads real data, which SOURCES.md beside it describes, completely. The data is not part of the project; without its
 * folder, the tests are skipped.
 */
import { describe, expect, test } from '@jest/globals';
import { hasRealData, realPath, titleOnRealData } from '../helpers/ballots/real-data.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const run = createRunner('catalog');

(hasRealData ? describe : describe.skip)(titleOnRealData('real data'), () => {
  const database = useTestDatabase();
  const { client } = database;
  const paths = ['endorser-categories.ndjson', '2018-primaries', 'sf-2016', 'rcv-contests'].map((name) =>
    realPath(name),
  );

  async function load(args: string[]) {
    const io = createIo({ DATABASE_URL: database.url });
    return { status: await runToExit(run, ['import', ...args], io), printed: io.printed, told: io.told };
  }

  test('is loaded completely, and a second time changes nothing', async () => {
    const first = await load(paths);
    expect(first.status).toBe(0);
    expect(first.printed.map((line) => line.trim().replace(/\s+/g, ' ')).slice(1)).toEqual([
      'endorser categories 8 0 0 0 0',
      'endorsers 106 0 0 0 0',
      'elections 59 0 0 0 0',
      'districts 447 0 0 0 0',
      'contests 563 0 0 0 0',
      'candidates 1,756 0 0 0 0',
      'choices 1,854 0 0 0 0',
    ]);
    const second = await load(paths.toReversed());
    expect(second.printed.map((line) => line.trim().replace(/\s+/g, ' ')).slice(1)).toEqual([
      'endorser categories 0 0 8 0 0',
      'endorsers 0 0 106 0 0',
      'elections 0 0 59 0 0',
      'districts 0 0 447 0 0',
      'contests 0 0 563 0 0',
      'candidates 0 0 1,756 0 0',
      'choices 0 0 1,854 0 0',
    ]);
  });

  test('without a date is refused by name, and so are its contests', async () => {
    const undated = ['2018-primaries', 'rcv-contests'].flatMap((folder) =>
      ['elections', 'contests'].map((kind) => realPath(`${folder}/undated-${kind}.ndjson`)),
    );
    const refused = await load(undated);
    expect(refused.status).toBe(1);
    expect(refused.told.join('\n')).toContain(
      'field date: must be a real date as YYYY-MM-DD, is null (ga-2018-primary-runoff)',
    );

    const before = await client.query('SELECT count(*)::integer AS count FROM contests');
    const skipped = await load([...undated, '--skip-refused']);
    expect(skipped.status).toBe(0);
    expect(skipped.told.at(-1)).toMatch(/^42 refused records were left out/);
    const after = await client.query('SELECT count(*)::integer AS count FROM contests');
    expect(after.rows).toEqual(before.rows);
  });
});
