import { describe, expect, test } from '@jest/globals';
import { UnfinishedError } from '../../ops/command.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { choice, contest, election, endorser, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { counts, GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';
import { createIo } from '../helpers/commands/command-io.ts';

const { databaseUrl, client, run, writeFiles, contents, importFiles, removeElection } = useCatalogueCommand();

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
  const slugs = Array.from({ length: 95 }, (_, index) => `c${index}`);

  test('with one contest of 95 withdraws no endorsements of the others without permission for that number', async () => {
    const endorsers = Array.from({ length: 30 }, (_, index) =>
      endorser({ slug: `e${index}`, name: `E ${index}` }),
    );
    await importFiles({ ...many(...slugs), 'endorsers.ndjson': ndjson(endorsers) });
    await client.query(`
      INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
      SELECT endorsers.id, contests.id, choices.id, election_id, now()
      FROM endorsers, contests JOIN choices ON contest_id = contests.id WHERE choices.key = 'ann'`);
    const before = await contents();
    const { status, told, printed } = await importFiles(many('c0'));
    expect(status).toBe(1);
    // Each contest has two choices.
    expect(told).toEqual([
      [
        'Nothing was loaded: the import would take away parts of elections and withdraw endorsements:',
        '  or-2026-11-03-general: 94 of 95 contests, 188 choices, 2,820 of 2,850 endorsements',
        'If the files have only a part of an election, add --keep-missing. If this is intended, add --allow-removals 3102.',
      ].join('\n'),
    ]);
    expect(counts(printed, 'contests')).toEqual([0, 0, 1, 94, 0]);
    expect(await contents()).toEqual(before);
    const held = async () => (await client.query('SELECT 1 FROM endorsements')).rowCount;
    expect((await importFiles(many('c0'), '--allow-removals', '3101')).status).toBe(1);
    expect(await held()).toBe(2850);
    expect((await importFiles(many('c0'), '--allow-removals', '3102')).status).toBe(0);
    expect(await held()).toBe(30);
  });

  test('that takes away a few is loaded, but not with permission for fewer', async () => {
    await importFiles(many(...slugs));
    const withoutFour = many(...slugs.slice(4));
    expect((await importFiles(withoutFour, '--allow-removals', '11')).status).toBe(1);
    expect((await importFiles(withoutFour)).status).toBe(0);
  });

  test("with one county's part of an election keeps the others' with --keep-missing", async () => {
    await importFiles(many('a1', 'a2', 'a3', 'a4', 'a5', 'a6'));
    await endorseAnn('a1');
    const { status, printed } = await importFiles(many('b1'), '--keep-missing');
    expect(status).toBe(0);
    expect(counts(printed, 'contests')).toEqual([1, 0, 0, 0, 0]);
    const { rows } = await client.query(
      'SELECT count(*)::int AS count FROM contests WHERE removed_at IS NULL',
    );
    expect(rows).toEqual([{ count: 7 }]);
    expect((await client.query('SELECT 1 FROM endorsements')).rowCount).toBe(1);
    expect((await importFiles(many('b1'))).status).toBe(1);
  });

  const renamed = (full_name: string, key?: string) => ({
    ...GOOD,
    'contests.ndjson': ndjson([
      contest('mayor', {
        choices: [choice('1', { candidate: { full_name, ...(key && { key }) } }), choice('2')],
      }),
    ]),
  });

  test('that gives a choice the name of another person is refused, without --allow-renames or a key', async () => {
    await importFiles(renamed('Joe Biden'));
    const refused = await importFiles(renamed('Kamala Harris'));
    expect([refused.status, refused.told[0]]).toEqual([
      1,
      'contests.ndjson:1: field choices: name "Kamala Harris" under the key "1", which belongs to "Joe Biden" and its endorsements; use a new key, give the candidate.key of before if it is the same person, or import with --allow-renames (or-2026-11-03-general/mayor)',
    ]);
    expect((await importFiles(renamed('Kamala Harris'), '--allow-renames')).status).toBe(0);
    // The same key says that it is the same person.
    expect((await importFiles(renamed('Anna Smith', 'k-1'), '--allow-renames')).status).toBe(0);
    expect((await importFiles(renamed('Anna Jones', 'k-1'))).status).toBe(0);
    expect((await importFiles(renamed('Bob Jones', 'k-2'))).status).toBe(1);
  });

  test('that gives several choices the names of other people names the first of them', async () => {
    const named = (...names: string[]) => {
      const choices = names.map((full_name, index) => choice(String(index), { candidate: { full_name } }));
      return { ...GOOD, 'contests.ndjson': ndjson([contest('mayor', { choices })]) };
    };
    await importFiles(named('Joe Biden', 'Bob Jones'));
    const { status, told } = await importFiles(named('Kamala Harris', 'Anna Smith'));
    expect([status, told[0]]).toEqual([1, expect.stringContaining('name "Kamala Harris" under the key "0"')]);
  });

  test('that corrects the spelling of a name is loaded, and the candidate keeps its id', async () => {
    const idOf = async () =>
      (await client.query('SELECT id FROM candidates WHERE full_name <> $1', ['2'])).rows[0]?.id;
    await importFiles(renamed('Joe Bidn'));
    const before = await idOf();
    expect((await importFiles(renamed('Joe R. Biden'))).status).toBe(1);
    expect((await importFiles(renamed('Joe Biden'))).status).toBe(0);
    expect((await importFiles(renamed('Joe R. Biden'))).status).toBe(0);
    expect(await idOf()).toBe(before);
  });

  test('whose names would make an event too large is refused whole, with and without --dry-run', async () => {
    await importFiles(GOOD);
    const picks = ['mayor', 'council'].map((slug, index) =>
      endorse('bakers-local-1', slug, 'ann', { statement: '政'.repeat(15_900 - index) }),
    );
    expect(await applySubmissions(client, ...picks)).toMatchObject({ changes: 2 });
    const entitled = (title: string) => ({
      'elections.ndjson': ndjson([election({ slug: 'or-2026-05-19-primary', name: 'Renamed' })]),
      'contests.ndjson': ndjson(['mayor', 'council'].map((slug) => contest(slug, { title }))),
    });
    const before = await contents();
    for (const options of [['--dry-run'], []]) {
      expect(await importFiles(entitled('市'.repeat(500)), ...options)).toEqual({
        status: 1,
        printed: [],
        told: [
          expect.stringMatching(
            /^Nothing was changed: with the new names, the event of bakers-local-1 about "ann" in or-2026-11-03-general\/mayor would have 50,\d{3} bytes as JSON, and may have 49,152, and 1 more would be too large\. Shorten the names, or have the endorser shorten the statement\.$/,
          ),
        ],
      });
      expect(await contents()).toEqual(before);
    }
    const shorter = await importFiles(entitled('Mayor and council'));
    expect([shorter.status, shorter.printed.at(-1)]).toEqual([0, 'Endorsements announced: 2 updated.']);
  });

  test('reports a district with two descriptions in the files, and the valid name', async () => {
    const district = {
      ocd_id: 'ocd-division/country:us/state:or',
      level: 'state',
      type: 'statewide',
      state: 'OR',
    };
    const records = ['Oregon', 'Oregon', 'State of Oregon', 'State of Oregon'].map((name, index) =>
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
    const { told } = await importFiles({ ...GOOD, 'older\u001b[2J/elections.ndjson': ndjson([election()]) });
    expect(told).toEqual([
      'Skipped, since they are neither catalogue files nor given themselves: older\\u001b[2J/.',
    ]);
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
        'Endorsements to announce: 1 withdrawn with what was removed or is no longer ranked.',
      ],
      told: ['This was a dry run: nothing was changed.'],
    });
    expect(await removed()).toEqual([]);
    expect(await removeElection('or-2026-11-03-general')).toEqual({
      status: 0,
      printed: [
        'The election or-2026-11-03-general and its 2 contests are removed.',
        'Endorsements announced: 1 withdrawn with what was removed or is no longer ranked.',
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

  test('ends its announcements at Ctrl-C, says that it is made, and the consumers announce the rest', async () => {
    await importFiles(GOOD);
    await endorseAnnForMayor();
    const renamed = await writeFiles({ 'elections.ndjson': ndjson([election({ name: 'New' })]) });
    const edits: [args: string[], made: string][] = [
      [['import', renamed], 'the import is made'],
      [['remove', 'or-2026-11-03-general'], 'the election or-2026-11-03-general is removed'],
    ];
    for (const [args, made] of edits) {
      const io = createIo({ DATABASE_URL: databaseUrl });
      // The operator presses Ctrl-C as soon as the command listens, which is when it commits.
      const onInterrupt = (listener: () => void) => {
        listener();
        return () => {};
      };
      await expect(run(args, { ...io, onInterrupt })).rejects.toThrow(
        new UnfinishedError(
          `You pressed Ctrl-C: ${made}, and the consumers announce the endorsements that are not announced yet.`,
        ),
      );
      expect((await client.query('SELECT FROM stale_announcements')).rowCount).toBe(1);
    }
    expect(await removed()).toEqual(['or-2026-11-03-general']);
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
const endorseAnnForMayor = () => endorseAnn('mayor');

/** Endorses Ann in contests. */
async function endorseAnn(...contests: string[]): Promise<void> {
  const submissions = contests.map((slug) => endorse('bakers-local-1', slug, 'ann'));
  expect(await applySubmissions(client, ...submissions)).toMatchObject({ changes: contests.length });
}
