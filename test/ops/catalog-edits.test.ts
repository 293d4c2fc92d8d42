import { describe, expect, test } from '@jest/globals';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { contest, election, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { counts, GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';

const { client, contents, importFiles, removeElection } = useCatalogueCommand();

describe('an import with precautions', () => {
  test('--dry-run reports the changes and the number of events, and changes nothing', async () => {
    await importFiles(GOOD);
    await endorseAnnForMayor();
    const before = await contents();
    const files = {
      'elections.ndjson': ndjson([election({ name: 'Renamed' })]),
      'contests.ndjson': ndjson([contest('mayor')]),
    };
    const dry = await importFiles(files, '--dry-run');
    expect(dry.status).toBe(0);
    expect(counts(dry.printed, 'elections')).toEqual([0, 1, 0, 0, 0]);
    expect(counts(dry.printed, 'contests')).toEqual([0, 0, 1, 1, 0]);
    expect(dry.printed.at(-1)).toBe('Endorsements to announce: 1 updated.');
    expect(dry.told).toEqual(['This was a dry run: nothing was changed.']);
    expect(await contents()).toEqual(before);
    const done = await importFiles(files);
    expect(done.told).toEqual([]);
    expect(done.printed).toEqual([...dry.printed.slice(0, -1), 'Endorsements announced: 1 updated.']);
  });

  const many = (...slugs: string[]) => ({
    ...GOOD,
    'contests.ndjson': ndjson(slugs.map((slug) => contest(slug))),
  });
  const slugs = Array.from({ length: 103 }, (_, index) => `c${index}`);

  test('that removes more than a hundred contests and choices is not loaded without permission for that number', async () => {
    await importFiles(many(...slugs));
    const before = await contents();
    const { status, told, printed } = await importFiles(many('c0', 'c1'));
    expect(status).toBe(1);
    expect(told).toEqual([
      'Nothing was loaded: the files lack 101 contests and choices that their elections have, and more than 100 removals need consent. If they are intended, add --allow-removals 101.',
    ]);
    expect(counts(printed, 'contests')).toEqual([0, 0, 2, 101, 0]);
    expect(await contents()).toEqual(before);
    expect((await importFiles(many('c0', 'c1'), '--allow-removals', '100')).status).toBe(1);
    expect((await importFiles(many('c0', 'c1'), '--allow-removals', '101')).status).toBe(0);
  });

  test('that removes a hundred is loaded', async () => {
    await importFiles(many(...slugs));
    expect((await importFiles(many('c0', 'c1', 'c2'))).status).toBe(0);
  });

  test('reports a district with two descriptions in the files, and the valid name', async () => {
    const district = {
      ocd_id: 'ocd-division/country:us/state:or',
      level: 'state',
      type: 'statewide',
      state: 'OR',
    };
    const records = ['Oregon', 'Oregon', 'State of Oregon'].map((name, index) =>
      contest(`c${index}`, { district: { ...district, name } }),
    );
    const { status, told } = await importFiles({ ...GOOD, 'contests.ndjson': ndjson(records) });
    expect([status, told]).toEqual([
      0,
      [
        'The district ocd-division/country:us/state:or (state, statewide, OR) is called "Oregon", but "State of Oregon" in or-2026-11-03-general/c2; "Oregon" stays.',
      ],
    ]);
  });

  test('names the skipped folders within a given folder', async () => {
    const { told } = await importFiles({ ...GOOD, 'older/elections.ndjson': ndjson([election()]) });
    expect(told).toEqual(['Skipped, since they are neither catalogue files nor given themselves: older/.']);
  });
});

describe('the removal of an election', () => {
  const removed = async () =>
    (await client.query('SELECT slug FROM elections WHERE removed_at IS NOT NULL')).rows.map(
      ({ slug }) => slug,
    );

  test('withdraws its endorsements, and importing it again restores it with its ids', async () => {
    await importFiles(GOOD);
    await endorseAnnForMayor();
    const ids = async () => (await client.query('SELECT id, key FROM contests ORDER BY id')).rows;
    const before = await ids();
    expect(await removeElection('or-2026-11-03-general', '--dry-run')).toEqual({
      status: 0,
      printed: [
        'The election or-2026-11-03-general and its 2 contests would be removed.',
        'Endorsements to announce: 1 withdrawn, because the contest or choice was removed.',
      ],
      told: ['This was a dry run: nothing was changed.'],
    });
    expect(await removed()).toEqual([]);
    expect(await removeElection('or-2026-11-03-general')).toEqual({
      status: 0,
      printed: [
        'The election or-2026-11-03-general and its 2 contests are removed.',
        'Endorsements announced: 1 withdrawn, because the contest or choice was removed.',
      ],
      told: [],
    });
    expect(await removed()).toEqual(['or-2026-11-03-general']);
    const { rows } = await client.query('SELECT FROM contests WHERE removed_at IS NULL');
    expect(rows).toHaveLength(1);

    const alone = { 'contests.ndjson': ndjson([contest('mayor')]) };
    expect((await importFiles(alone)).told[0]).toMatch(
      /which is neither in these files nor in the catalogue/,
    );
    await importFiles(GOOD);
    expect(await removed()).toEqual([]);
    expect(await ids()).toEqual(before);
  });

  test('of an unknown election is refused', async () => {
    await importFiles(GOOD);
    await removeElection('or-2026-11-03-general');
    for (const slug of ['or-2026-11-03-general', 'nowhere']) {
      expect(await removeElection(slug)).toEqual({
        status: 1,
        printed: [],
        told: [`The catalogue has no election with the slug "${slug}". Nothing was removed.`],
      });
    }
  });
});

/** Makes one endorsement, in the general election. */
async function endorseAnnForMayor(): Promise<void> {
  const submission = endorse('bakers-local-1', 'mayor', 'ann');
  expect(await applySubmissions(client, submission)).toMatchObject({ changes: 1 });
}
