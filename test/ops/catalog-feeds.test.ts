import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { counts, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';
import {
  BALLOT,
  candidate,
  contest,
  ELECTION,
  type FeedObject,
  object,
  ocd,
  writeFeed,
} from '../helpers/feeds/vip-feed.ts';
import { zip } from '../helpers/feeds/zip.ts';

const { client, contents, writeFiles, file, importFiles, importPaths, removeElection } =
  useCatalogueCommand();

const FEED = writeFeed(BALLOT);
const importFeed = async (files: Record<string, string | Buffer>, ...options: string[]) => {
  await writeFiles(files);
  return importPaths([...Object.keys(files).map(file), ...options]);
};
const contestKeys = async (): Promise<string[]> =>
  (await client.query('SELECT key FROM contests WHERE removed_at IS NULL ORDER BY key')).rows.map(
    ({ key }) => key,
  );

describe('a feed', () => {
  test('loads an election with its contests, and says what it assumed and left out', async () => {
    const { status, printed, told } = await importFeed({ 'feed.xml': FEED });
    expect([status, told]).toEqual([0, []]);
    expect(counts(printed, 'elections')).toEqual([1, 0, 0, 0, 0]);
    expect(counts(printed, 'contests')).toEqual([5, 0, 0, 0, 0]);
    expect(counts(printed, 'choices')).toEqual([10, 0, 0, 0, 0]);
    const text = printed.join('\n');
    expect(text).toContain('feed.xml: Voting Information Project, version 5.2');
    expect(text).toContain(
      'what the vote method is plurality for one seat, because the feed does not say it',
    );
    expect(text).toContain('what polling places | count 1');
  });

  test('changes nothing when it comes again with other ids and in another order', async () => {
    await importFeed({ 'feed.xml': FEED });
    const before = await contents();
    const again = writeFeed(BALLOT.toReversed(), {
      idOf: (name) => `n${BALLOT.findIndex((item) => item.name === name)}`,
    });
    const { printed } = await importFeed({ 'feed.xml': again });
    expect(counts(printed, 'contests')).toEqual([0, 0, 5, 0, 0]);
    expect(await contents()).toEqual(before);
  });

  test('is read from an archive under any name, and changes nothing after the plain file', async () => {
    await importFeed({ 'feed.xml': FEED });
    const archive = zip([
      { name: 'feed/vipfeed.xml', content: FEED },
      { name: '__MACOSX/feed/._vipfeed.xml', content: 'x' },
      { name: 'feed/boundaries.shp', content: 'x' },
    ]);
    const { status, printed } = await importFeed({ 'feed.xml': archive });
    expect(status).toBe(0);
    expect(counts(printed, 'contests')).toEqual([0, 0, 5, 0, 0]);
    expect(printed.join('\n')).toContain(
      'what files that are not feeds | count 2 | such as __MACOSX/feed/._vipfeed.xml',
    );
  });

  test('changes nothing in a dry run', async () => {
    const { status, printed } = await importFeed({ 'feed.xml': FEED }, '--dry-run');
    expect(status).toBe(0);
    expect(counts(printed, 'contests')).toEqual([5, 0, 0, 0, 0]);
    expect(await contestKeys()).toEqual([]);
  });

  test('with a contest that cannot be used loads nothing, or the others', async () => {
    const odd = contest('CandidateContest', 'Odd', 'virginia', '<VoteVariation>borda</VoteVariation>');
    const { status, told } = await importFeed({ 'feed.xml': writeFeed([...BALLOT, odd]) });
    expect(status).toBe(1);
    expect(told.join('\n')).toMatch(
      /feed\.xml:\d+: field VoteVariation: must be one of .*, is "borda" \(Odd\)/,
    );
    expect(await contestKeys()).toEqual([]);
    const rest = await importPaths([file('feed.xml'), '--skip-refused']);
    expect(rest.status).toBe(0);
    expect(await contestKeys()).toHaveLength(5);
  });

  test.each([
    ['district', 'ElectoralDistrict', 'rio'],
    ['judge', 'Candidate', 'judge'],
  ])('that lacks the %s of a contest keeps this contest with --skip-refused', async (_, type, name) => {
    await importFeed({ 'feed.xml': FEED });
    const before = await contestKeys();
    const lacking = BALLOT.filter((item) => item.type !== type || item.name !== name);
    const { status, told } = await importFeed({ 'feed.xml': writeFeed(lacking) }, '--skip-refused');
    expect([status, told]).toEqual([0, expect.arrayContaining([expect.stringMatching(/refused records/)])]);
    expect(await contestKeys()).toEqual(before);
  });

  test('gets the type of its election from the option if it does not say it', async () => {
    const election = object('Election', 'election', '<Date>2026-06-09</Date><StateId>{state}</StateId>');
    const feed = writeFeed([...ELECTION.slice(0, 2), election]);
    expect((await importFeed({ 'feed.xml': feed })).told.join('\n')).toMatch(
      /Give it with --election-type\./,
    );
    expect((await importFeed({ 'feed.xml': feed }, '--election-type', 'primary')).status).toBe(0);
    const { rows } = await client.query('SELECT slug, type FROM elections');
    expect(rows).toEqual([{ slug: 'va-2026-06-09-primary', type: 'primary' }]);
  });
});

describe('county feeds of one election', () => {
  const county = (name: string, forGovernor = '{line-Bob}'): FeedObject[] => [
    ...ELECTION,
    object('ElectoralDistrict', 'virginia', `${ocd('')}<Name>Virginia</Name><Type>state</Type>`),
    object('ElectoralDistrict', 'county', `${ocd(`/county:${name}`)}<Name>${name}</Name><Type>county</Type>`),
    ...candidate('Ann'),
    ...candidate('Bob'),
    contest('CandidateContest', 'Sheriff', 'county', '<BallotSelectionIds>{line-Ann}</BallotSelectionIds>'),
    contest(
      'CandidateContest',
      'Governor',
      'virginia',
      `<BallotSelectionIds>${forGovernor}</BallotSelectionIds>`,
    ),
  ];
  const KEYS = ['governor', 'sheriff-county-fern', 'sheriff-county-rio'].map(
    (slug) => `va-2026-11-03-general/${slug}`,
  );

  test('add up with --keep-missing', async () => {
    await importFeed({ 'rio.xml': writeFeed(county('rio')) });
    await importFeed({ 'fern.xml': writeFeed(county('fern')) }, '--keep-missing');
    expect(await contestKeys()).toEqual(KEYS);
  });

  const named = (name: string, place = name): string =>
    writeFeed(county(place)).replace('>General Election<', `>${name} Election<`);
  const electionNames = async () => (await client.query('SELECT name, name_es FROM elections')).rows;
  const RECORD = {
    ...{ slug: 'va-2026-11-03-general', name: 'Record', name_es: 'Registro' },
    ...{ date: '2026-11-03', state: 'VA', type: 'general' },
  };
  const STAYS =
    'The election va-2026-11-03-general is called "rio Election", but "fern Election" in fern.xml; "rio Election" stays.';
  const TABLE =
    'state,election_date,election_type,election_name,contest,candidate\nVA,11/3/2026,general,Table,Lieutenant Governor,Cy';

  const NAMES =
    'state,election_date,election_type,contest,candidate\nVA,11/3/2026,general,Lieutenant Governor,Cy';

  test.each<[string, Record<string, string>, string[], string, string[]]>([
    ['another feed', { 'fern.xml': named('fern') }, ['--keep-missing'], 'rio Election', [STAYS]],
    ['a feed with all contests', { 'fern.xml': named('fern') }, [], 'fern Election', []],
    [
      'a feed beside a table that only names it',
      { 'a.csv': NAMES, 'f.xml': named('fern') },
      [],
      'fern Election',
      [],
    ],
    ['a record', { 'elections.ndjson': JSON.stringify(RECORD) }, ['--keep-missing'], 'Record', []],
    ['a table with its name', { 'a.csv': TABLE }, ['--keep-missing'], 'Table', []],
  ])('after %s have an election of the right name', async (_, files, options, name, told) => {
    await importFeed({ 'rio.xml': named('rio') });
    expect((await importFeed(files, ...options)).told).toEqual(told);
    expect(await electionNames()).toMatchObject([{ name }]);
  });

  test('leave all that is known about an election with --keep-missing, until it is removed', async () => {
    const known = {
      ...RECORD,
      date: '2026-11-10',
      info_url: 'https://example.org',
      details: { all_mail: true },
    };
    await importFeed({ 'elections.ndjson': JSON.stringify(known) });
    const before = (await contents()).elections;
    await importFeed({ 'rio.xml': named('rio') }, '--keep-missing');
    expect((await contents()).elections).toEqual(before);
    await removeElection(known.slug);
    await importFeed({ 'rio.xml': named('rio') }, '--keep-missing');
    expect((await contents()).elections).toMatchObject([{ name: 'rio Election', info_url: null }]);
  });

  test.each<[string, string[], string]>([
    ['a', [], 'fern'],
    ['a', ['--keep-missing'], 'fern'],
    ['rio', ['--keep-missing'], 'rio'],
  ])('of several names in one import give one name, in any order (%s, %j)', async (first, options, name) => {
    for (const [one, two] of [
      ['fern', 'rio'],
      ['rio', 'fern'],
    ] as const) {
      if (first !== 'a') await importFeed({ 'first.xml': named(first) });
      const { told } = await importFeed({ 'a.xml': named(one), 'b.xml': named(two) }, ...options);
      const other = name === 'rio' ? 'fern' : 'rio';
      expect(told).toEqual([
        `The election ${RECORD.slug} is called "${name} Election", but "${other} Election" in ${one === other ? 'a' : 'b'}.xml; "${name} Election" stays.`,
      ]);
      expect(await electionNames()).toMatchObject([{ name: `${name} Election` }]);
      await removeElection(RECORD.slug);
    }
  });

  test('of one name in one import give one Spanish name, in any order', async () => {
    const spanish = (name: string) => named('rio').replace('Elección general', name);
    for (const [one, two] of [
      ['Día', 'Voto'],
      ['Voto', 'Día'],
    ] as const) {
      await importFeed({ 'a.xml': spanish(one), 'b.xml': spanish(two) });
      expect(await electionNames()).toMatchObject([{ name_es: 'Día' }]);
    }
  });

  test('add up in one archive, in which they share contests', async () => {
    const archive = zip(
      ['rio', 'fern'].map((name) => ({ name: `${name}.xml`, content: writeFeed(county(name)) })),
    );
    const { status, printed } = await importFeed({ 'counties.zip': archive });
    expect(status).toBe(0);
    expect(await contestKeys()).toEqual(KEYS);
    expect(printed.join('\n')).toContain(
      'what contests that an earlier feed of the import has too | count 1',
    );
  });

  test('add up in one import if the names of a contest are in another order in each county', async () => {
    const { status, told } = await importFeed({
      'rio.xml': writeFeed(county('rio', '{line-Bob} {line-Ann}')),
      'sfern.xml': writeFeed(county('fern', '{line-Ann} {line-Bob}')),
    });
    expect([status, told]).toEqual([0, []]);
    const { rows } = await client.query(
      `SELECT label FROM choices h JOIN contests c ON c.id = h.contest_id WHERE c.key = $1 ORDER BY h.ballot_order`,
      [KEYS[0]],
    );
    expect(rows.map(({ label }) => label)).toEqual(['Bob', 'Ann']);
  });

  test('that contradict each other are refused', async () => {
    const other = writeFeed(county('fern')).replace('>Bob<', '>Bo<');
    const { status, told } = await importFeed({ 'rio.xml': writeFeed(county('rio')), 'sfern.xml': other });
    expect(status).toBe(1);
    expect(told.join('\n')).toMatch(
      /sfern\.xml:\d+: field key: must be unique, is "va-2026-11-03-general\/governor" as in rio\.xml/,
    );
  });
});

describe('nothing is loaded, and one sentence says why, from', () => {
  const inArchive = (content: string, more = {}) => zip([{ name: 'f.xml', content, ...more }]);
  test.each([
    [
      'a truncated feed',
      { 'a.xml': FEED.slice(0, -300) },
      /^a\.xml: The file ends within <.*>, before <\/VipObject>: it is truncated/,
    ],
    [
      'XML of another kind',
      { 'a.xml': '<rss/>' },
      /^a\.xml: The file is XML that begins with <rss>, not a feed/,
    ],
    [
      'a page named .zip',
      { 'a.zip': '<!doctype html><p>Sorry' },
      /^a\.zip: The file is not well-formed XML, in line 1/,
    ],
    [
      'another version',
      { 'a.xml': FEED.replace('5.2', '3.0') },
      /^a\.xml: The feed has schemaVersion "3\.0"/,
    ],
    [
      'an entity bomb',
      { 'a.xml': `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${FEED.slice(FEED.indexOf('<Vip'))}` },
      /^a\.xml: The file has a document type .*not expanded/,
    ],
    [
      'an archive that claims too much',
      { 'a.zip': inArchive(FEED, { claimed: 4_294_967_294 }) },
      /^a\.zip\/f\.xml cannot be unpacked: .*Fetch it again, or unpack it first\.$/,
    ],
    [
      'an archive that claims too little',
      { 'a.zip': inArchive(FEED, { claimed: 10 }) },
      /^a\.zip\/f\.xml cannot be unpacked: .*Fetch it again, or unpack it first\.$/,
    ],
    [
      'a damaged archive',
      { 'a.zip': inArchive(FEED, { sum: 1 }) },
      /^a\.zip\/f\.xml cannot be unpacked: its bytes do not have its checksum\./,
    ],
    [
      'a web page named .csv',
      { 'a.csv': '<!DOCTYPE html><p>Sorry' },
      /^a\.csv: The file is a web page or XML, not a table of text/,
    ],
    [
      'an archive of more bytes than any feed',
      {
        'a.zip': zip(
          ['a', 'b', 'c'].map((name) => ({ name: `${name}.xml`, content: 'x', claimed: 4_294_967_294 })),
        ),
      },
      /^The feeds in a\.zip have more than 8,589,934,592 bytes unpacked, which no feed has\.$/,
    ],
    [
      'an archive of too many files',
      { 'a.zip': zip(Array.from({ length: 1_001 }, (_, at) => ({ name: `${at}`, content: '' }))) },
      /^a\.zip has 1,001 files; an archive of feeds has at most 1,000\.$/,
    ],
    [
      'a secret archive',
      { 'a.zip': inArchive(FEED, { isEncrypted: true }) },
      /^f\.xml in a\.zip is encrypted\. Unpack it first\.$/,
    ],
    [
      'an archive without feeds',
      { 'a.zip': zip([{ name: 'x.txt', content: '' }]) },
      /^a\.zip has no file that ends in \.xml\. It has x\.txt\.$/,
    ],
    [
      'half an archive',
      { 'a.zip': inArchive(FEED).subarray(0, 300) },
      /^a\.zip cannot be unpacked: .*[^.]\. Fetch it again, or unpack it first\.$/,
    ],
  ])('%s', async (_name, files, message) => {
    const { status, told } = await importFeed({ 'good.xml': FEED, ...files } as Record<
      string,
      string | Buffer
    >);
    expect([status, told]).toEqual([1, [expect.stringMatching(message)]]);
    expect(await contestKeys()).toEqual([]);
  });
});

describe('a report', () => {
  test('is written as a page and as JSON, also of an import that loads nothing', async () => {
    const odd = contest(
      'CandidateContest',
      'Odd <b>',
      'virginia',
      '<VoteVariation>borda</VoteVariation>',
    ).fields;
    const feed = writeFeed([...BALLOT, object('CandidateContest', 'odd', odd.replace('<b>', '&lt;b&gt;'))]);
    const dir = await writeFiles({ 'feed.xml': feed });
    for (const name of ['report.html', 'report.json']) {
      expect((await importPaths([path.join(dir, 'feed.xml'), '--report', path.join(dir, name)])).status).toBe(
        1,
      );
    }
    const page = await readFile(path.join(dir, 'report.html'), 'utf8');
    expect(page).toContain('Odd &lt;b>');
    expect(page).toContain('polling places');
    const report = JSON.parse(await readFile(path.join(dir, 'report.json'), 'utf8'));
    expect(report.facts).toContainEqual({ label: 'Loaded', value: 'nothing' });
    expect(
      report.sections.map(({ title, total }: { title: string; total: number }) => [title, total]),
    ).toEqual([
      ['Refused', 1],
      ['Assumed, because the files do not say it', 4],
      ['Left out, because the catalogue has no place for it', 5],
      ['To check', 2],
    ]);
  });

  test('counts what an import of records changed', async () => {
    const dir = await writeFiles({ 'feed.xml': FEED });
    await importPaths([path.join(dir, 'feed.xml'), '--report', path.join(dir, 'r.json')]);
    const report = JSON.parse(await readFile(path.join(dir, 'r.json'), 'utf8'));
    expect(report.counts).toContainEqual({ label: 'contests added', count: 5 });
  });

  test('of another kind is refused before the import', async () => {
    const { status, told } = await importFiles({ 'x.ndjson': '' }, '--report', 'r.pdf');
    expect([status, told.join('\n')]).toEqual([1, expect.stringMatching(/must end in \.html or \.json/)]);
  });
});
