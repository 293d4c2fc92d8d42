import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type EndorsementLine,
  hasRealData,
  importRealCatalogue,
  readEndorsementLines,
  submitRealEndorsements,
  titleOnRealData,
} from '../helpers/ballots/real-data.ts';
import { readPages } from '../helpers/http/paging.ts';
import { expectSchema } from '../helpers/http/response-schema.ts';
import { useTestService } from '../helpers/service/service.ts';

/** Computes every expected answer from the files, with code that shares nothing with the service. */

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/data');

interface ElectionLine {
  slug: string;
  state: string;
  date: string;
}
interface ContestLine {
  key: string;
  election: string;
  title: string;
  kind: string;
  district: { level: string; ocd_id: string | null };
  choices: { key: string; label: string }[];
}
interface EndorserLine {
  slug: string;
  name: string;
  category: string;
  state: string;
}

async function readLines<Line>(name: string): Promise<Line[]> {
  const files = ['2018-primaries', 'sf-2016'].map((folder) => path.join(FOLDER, folder, `${name}.ndjson`));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
}

/** A name without its case and accents. */
const plain = (name = '') => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const distinct = <Value>(values: Value[]): number => new Set(values).size;
const TIERS = ['federal', 'state'];
const tierOf = (level: string) => (TIERS.includes(level) ? TIERS.indexOf(level) : 2);

(hasRealData ? describe : describe.skip)(titleOnRealData('Reads of real ballots'), () => {
  let elections: ElectionLine[];
  let contests: ContestLine[];
  let endorsers: EndorserLine[];
  let endorsements: EndorsementLine[];
  const electionOf = (slug: string) => elections.find((line) => line.slug === slug) as ElectionLine;
  const backs = (contest: ContestLine) => (line: EndorsementLine) => line.contest === contest.key;
  const title = ({ election, title: own }: ContestLine) => `${election} ${own}`;

  const service = useTestService({ catalogue: [] });
  beforeAll(async () => {
    [elections, contests] = [await readLines('elections'), await readLines('contests')];
    // Both files may have an endorser; either record is right.
    const lines = await readLines<EndorserLine>('endorsers');
    endorsers = [...new Map(lines.map((line) => [line.slug, line])).values()];
    endorsements = (await readEndorsementLines()).filter(
      ({ source_url }) => source_url === null || source_url.startsWith('http'),
    );
    await importRealCatalogue(service);
    await submitRealEndorsements(service);
    await service.eventsOnceThereAre(endorsements.length, 60_000);
  });

  test('coverage counts the records of every state in the files', async () => {
    const { body } = await service.get('/v1/coverage?upcoming=false');
    expectSchema('/v1/coverage', body);
    expect(body.data).toHaveLength(56);
    for (const row of body.data) {
      const held = elections.filter(({ state }) => state === row.state);
      const voted = contests.filter(({ election }) => electionOf(election).state === row.state);
      const keys = new Set(voted.map(({ key }) => key));
      const given = endorsements.filter(({ contest }) => keys.has(contest));
      const dates = held.map(({ date }) => date).sort();
      expect(row).toEqual({
        state: row.state,
        name: expect.any(String),
        election_count: held.length,
        contest_count: voted.length,
        measure_count: voted.filter(({ kind }) => kind === 'measure').length,
        endorser_count: distinct(given.map(({ endorser }) => endorser)),
        endorsement_count: given.length,
        endorsed_contest_count: distinct(given.map(({ contest }) => contest)),
        first_election: dates[0] ?? null,
        last_election: dates.at(-1) ?? null,
        updated_at: held.length > 0 ? expect.any(String) : null,
      });
    }
  });

  test('elections are sorted by date and slug, and have their counts', async () => {
    const listed = await readPages(service, '/v1/elections', 7);
    const byDate = elections.toSorted((a, b) => (a.date + a.slug < b.date + b.slug ? -1 : 1));
    expect(listed.map((row) => [row.slug, row.contest_count, row.endorsement_count])).toEqual(
      byDate.map(({ slug }) => [
        slug,
        contests.filter(({ election }) => election === slug).length,
        endorsements.filter(({ contest }) => contest.startsWith(`${slug}/`)).length,
      ]),
    );
  });

  const filters: [string, (contest: ContestLine, election: ElectionLine) => boolean][] = [
    ['', () => true],
    ['&states=CA', (_, { state }) => state === 'CA'],
    [
      '&states=CA,TX&levels=federal',
      ({ district }, { state }) => /CA|TX/.test(state) && district.level === 'federal',
    ],
    ['&levels=county,school,special', ({ district }) => /county|school|special/.test(district.level)],
    ['&contest_kinds=measure', ({ kind }) => kind === 'measure'],
    ['&elections=ca-sf-2016-06-07-primary', ({ election }) => election === 'ca-sf-2016-06-07-primary'],
    [
      '&districts=ocd-division/country:us/state:tx/cd:7,ocd-division/country:us/state:ca/sldl:17',
      ({ district }) => /state:tx\/cd:7$|state:ca\/sldl:17$/.test(district.ocd_id ?? ''),
    ],
  ];
  test.each(filters)('contests%s are those of the files, in order', async (query, matches) => {
    const expected = contests.filter((line) => matches(line, electionOf(line.election)));
    expect(expected.length).toBeGreaterThan(0);
    const listed = await readPages(service, '/v1/contests', 60, query);
    const titles = listed.map((row) => `${row.election.slug} ${row.title}`);
    expect(titles.toSorted()).toEqual(expected.map(title).sort());
    const number = (value: number) => String(value).padStart(6, '0');
    const places = listed.map(({ election, district, ballot_order }) =>
      [election.date, election.slug, tierOf(district.level), number(ballot_order)].join(' '),
    );
    expect(places).toEqual(places.toSorted());
    const labels = new Map(expected.map((line) => [title(line), line.choices.map(({ label }) => label)]));
    for (const row of listed) {
      expect(row.choices.map(({ label }: { label: string }) => label)).toEqual(
        labels.get(`${row.election.slug} ${row.title}`),
      );
    }
  });

  const endorserFilters: [string, (endorser: EndorserLine, electionSlugs: string[]) => boolean][] = [
    ['', () => true],
    ['&categories=party,newspaper', ({ category }) => /^(party|newspaper)$/.test(category)],
    ['&states=national', ({ state }) => state === 'national'],
    ['&states=CA&categories=advocacy', ({ state, category }) => state === 'CA' && category === 'advocacy'],
    ['&elections=tx-2018-03-06-primary', (_, slugs) => slugs.includes('tx-2018-03-06-primary')],
    ['&q=DEMOCRAT', ({ name }) => name.toLowerCase().includes('democrat')],
    ['&q=/', ({ name }) => name.includes('/')],
  ];
  test.each(endorserFilters)('endorsers%s are those of the files, by name', async (query, matches) => {
    const slugsOf = ({ slug }: EndorserLine) =>
      endorsements
        .filter(({ endorser }) => endorser === slug)
        .map(({ contest }) => contest.replace(/\/.*/, ''));
    const expected = endorsers.filter((line) => matches(line, slugsOf(line)));
    expect(expected.length).toBeGreaterThan(0);
    const listed = await readPages(service, '/v1/endorsers', 11, query);
    expect(listed.map(({ slug }) => slug).toSorted()).toEqual(expected.map(({ slug }) => slug).sort());
    const names = listed.map(({ name }) => plain(name));
    expect(names).toEqual(names.toSorted());
  });

  test('an endorser shows the number of contests that it endorsed in, by election', async () => {
    for (const { slug } of endorsers.slice(0, 40)) {
      const given = endorsements.filter(({ endorser }) => endorser === slug);
      const { body } = await service.get(`/v1/endorsers/${slug}`);
      const keys = [...new Set(given.map(({ contest }) => contest))];
      const counts = Map.groupBy(keys, (key) => key.replace(/\/.*/, ''));
      const expected = [...counts].map(
        ([election, ofIt]) => `${electionOf(election).date} ${election} ${ofIt.length}`,
      );
      const shown = body.data.elections.map(
        (row: Record<string, string>) => `${row.date} ${row.election} ${row.contests}`,
      );
      expect(shown.toSorted()).toEqual(expected.sort());
      const dates = body.data.elections.map(({ date }: { date: string }) => date);
      expect(dates).toEqual(dates.toSorted().reverse());
      expect(body.data.endorsement_count).toBe(given.length);
    }
  });

  test('contests show all their positions of the files', async () => {
    const nameOf = new Map(endorsers.map(({ slug, name }) => [slug, name]));
    const lines = new Map(contests.map((line) => [title(line), line]));
    const listed = await readPages(service, '/v1/contests', 500, '&states=CA');
    for (const { id, election, title: own } of listed) {
      const contest = lines.get(`${election.slug} ${own}`) as ContestLine;
      const { body } = await service.get(`/v1/contests/${id}`);
      const given = Map.groupBy(endorsements.filter(backs(contest)), ({ endorser }) => endorser);
      const labelsOf = (picks: EndorsementLine[]) =>
        contest.choices
          .filter(({ key }) => picks.some(({ choice }) => choice === key))
          .map(({ label }) => label);
      const expected = [...given]
        .map(([slug, picks]) => [nameOf.get(slug), slug, ...labelsOf(picks)])
        .sort((a, b) => (plain(a[0]) < plain(b[0]) ? -1 : 1));
      const shown = body.data.endorsements.map(
        ({ endorser, picks }: { endorser: EndorserLine; picks: { label: string }[] }) => [
          endorser.name,
          endorser.slug,
          ...picks.map(({ label }) => label),
        ],
      );
      expect(shown).toEqual(expected);
    }
  });
});
