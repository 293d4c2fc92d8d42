/**
 * Real endorsements, written as a spreadsheet would have them: names instead of keys, in columns in another order. Every
 * exact match is compared with the key that the data has.
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readColumns, readRow } from '../../../intake/endorsements/read-row.ts';
import {
  type ChoiceEntry,
  type ElectionIndex,
  indexElection,
} from '../../../intake/matching/catalogue-index.ts';
import { matchElection } from '../../../intake/matching/match-election.ts';
import {
  type EndorserIndex,
  indexEndorsers,
  matchEndorser,
} from '../../../intake/matching/match-endorser.ts';
import { matchRow } from '../../../intake/matching/match-row.ts';
import { createContestFinder } from '../../../intake/matching/row-contests.ts';
import { chooseMatch } from '../../../intake/matching/row-match.ts';
import { formatRow } from '../../../intake/tables/cells.ts';
import { readTable } from '../../../intake/tables/read-table.ts';
import { hasRealData, realPath, titleOnRealData } from '../../helpers/ballots/real-data.ts';

// biome-ignore lint/suspicious/noExplicitAny: the lines have the shapes of docs/data-formats.md.
type Json = any;

async function readLines(name: string): Promise<Json[]> {
  const text = await readFile(realPath(name), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

interface Loaded {
  elections: Map<string, Json>;
  contests: Map<string, Json>;
  endorsers: Map<string, Json>;
  endorsements: Json[];
  indexes: Map<string, ElectionIndex>;
  endorserIndex: EndorserIndex;
}

async function load(folder: string): Promise<Loaded> {
  const [elections = [], contests = [], endorsers = [], endorsements = []] = await Promise.all(
    ['elections', 'contests', 'endorsers', 'endorsements'].map((kind) =>
      readLines(`${folder}/${kind}.ndjson`),
    ),
  );
  const states = new Map((await readLines('states.ndjson')).map(({ usps, name }) => [usps, name]));
  const toChoice = ({ candidate, withdrawn, ...choice }: Json): ChoiceEntry => ({
    ...choice,
    candidate: candidate ? (candidate.key ?? candidate.full_name) : null,
    full_name: candidate?.full_name ?? null,
    withdrawn: withdrawn ?? false,
  });
  const toIndex = (election: Json) =>
    indexElection(
      { ...election, short_name: null, state_name: states.get(election.state) },
      contests
        .filter((contest) => contest.election === election.slug)
        .map((contest) => ({ ...contest, choices: contest.choices.map(toChoice) })),
    );
  return {
    elections: new Map(elections.map((election) => [election.slug, election])),
    contests: new Map(contests.map((contest) => [contest.key, contest])),
    endorsers: new Map(endorsers.map((endorser) => [endorser.slug, endorser])),
    endorsements,
    indexes: new Map(elections.map((election) => [election.slug, toIndex(election)])),
    endorserIndex: indexEndorsers(endorsers),
  };
}

/** An endorsement in one style of spreadsheet. */
type Style = (line: {
  contest: Json;
  choice: Json;
  election: Json;
  endorser: Json;
}) => Record<string, string>;

const dateOf = ({ date }: Json) => date.replace(/^(\d+)-0?(\d+)-0?(\d+)$/, '$2/$3/$1');
const lastFirst = (label: string) => {
  const words = label.replace(/ (Jr\.|Sr\.|II|III)$/, '').split(' ');
  return label.includes(',') || words.length < 2 || /[("]| (Jr\.|Sr\.|I+)$/.test(label)
    ? label
    : `${words.at(-1)}, ${words.slice(0, -1).join(' ')}`;
};
const districtOf = (contest: Json) =>
  /(?:cd|council_district):(\d+)/.exec(contest.district.ocd_id ?? '')?.[1] ?? '';
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}|[.’']/gu, '');

const STYLES: Record<string, Style> = {
  'titles and labels': ({ contest, choice, election, endorser }) => ({
    ...{ Pick: choice.label, Race: contest.title, Organization: endorser.name, Election: election.name },
  }),
  'short titles in capitals, without accents': ({ contest, choice, election, endorser }) => ({
    ...{
      'Election date': dateOf(election),
      State: election.state,
      Contest: contest.short_title.toUpperCase(),
    },
    ...{ Organization: `The ${endorser.name.toUpperCase()}`, Candidate: plain(choice.label).toUpperCase() },
  }),
  'offices with districts, last names first, answers of their own': ({
    contest,
    choice,
    election,
    endorser,
  }) => {
    const number = districtOf(contest);
    const office = contest.short_title
      .replace(/ ?[A-Z]{2}-\d+|, District \d+/g, '')
      .replace(/^U\.S\. House.*/, 'Congress')
      .replace(/ \([DR]\)$/, '');
    const answer = choice.measure_answer;
    return {
      ...{ Organization: endorser.name, District: number === '' ? '' : `District ${number}`, Office: office },
      ...{ State: election.state, Election: election.date, Support: answer === 'no' ? 'Oppose' : 'Support' },
      Candidate: answer ? '' : lastFirst(choice.label),
      Party: contest.key.startsWith('ca-sf') ? '' : (choice.party_label ?? ''),
    };
  },
};

const [TITLES = '', CAPITALS = '', OFFICES = ''] = Object.keys(STYLES);

/**
 * The numbers of each grade. Two states had a primary and a special primary on one day, with the same candidates; other
 * contests have a district in their short title that the table leaves out.
 */
const EXPECTED: [string, Record<string, Record<string, number>>][] = [
  [
    '2018-primaries',
    {
      [TITLES]: { exact: 871 },
      [CAPITALS]: { exact: 845, ambiguous: 26 },
      [OFFICES]: { exact: 845, ambiguous: 26 },
    },
  ],
  [
    'sf-2016',
    { [TITLES]: { exact: 3612 }, [CAPITALS]: { exact: 3612 }, [OFFICES]: { exact: 3463, close: 149 } },
  ],
];

(hasRealData ? describe : describe.skip).each(EXPECTED)(titleOnRealData('%s'), (folder, expected) => {
  let loaded: Loaded;
  beforeAll(async () => {
    loaded = await load(folder);
  });

  test.each(Object.entries(STYLES))('%s: every exact match is right', async (name, style) => {
    const { elections, contests, endorsers, endorsements, indexes, endorserIndex } = loaded;
    const cells = endorsements.map(({ contest: key, choice, endorser }) => {
      const contest = contests.get(key);
      const found = contest.choices.find((each: Json) => each.key === choice);
      return style({
        contest,
        choice: found,
        election: elections.get(contest.election),
        endorser: endorsers.get(endorser),
      });
    });
    const header = Object.keys(cells[0] ?? {});
    const text = [header, ...cells.map((row) => header.map((column) => row[column] ?? ''))]
      .map((cells) => formatRow(cells))
      .join('');
    async function* bytes() {
      yield Buffer.from(text);
    }
    const table = await readTable(bytes());
    const columns = readColumns(table.header, new Map(), {});
    const finders = new Map([...indexes].map(([slug, index]) => [slug, createContestFinder(index)]));
    const counts = new Map<string, number>();
    const wrong: unknown[] = [];
    let at = 0;
    for await (const row of table.rows) {
      const known = endorsements[at];
      at += 1;
      if ('fault' in row) throw new Error(row.fault);
      const entry = readRow(row.cells, columns);
      const endorser = matchEndorser(endorserIndex, entry.endorser ?? '');
      const all = [...indexes.values()].map(({ election }) => election);
      const election = matchElection(all, entry);
      const fitting = election.value ? [election.value] : election.candidates;
      const matches = fitting.flatMap(({ slug }) => {
        const index = indexes.get(slug);
        const find = finders.get(slug);
        return index && find ? [matchRow(index, entry, () => null, find)] : [];
      });
      const match = election.value ? (matches[0] ?? null) : chooseMatch(matches);
      const grade = match?.unrepresentable ? 'not representable' : (match?.grade ?? election.grade);
      counts.set(grade, (counts.get(grade) ?? 0) + 1);
      if (grade !== 'exact') continue;
      const found = {
        endorser: endorser.value?.slug,
        contest: match?.contest?.key,
        choice: match?.choice?.key,
      };
      const { contest, choice } = known;
      if (JSON.stringify(found) !== JSON.stringify({ endorser: known.endorser, contest, choice })) {
        wrong.push({ row: row.cells, found, known: `${known.endorser} ${contest} ${choice}` });
      }
    }
    expect(wrong).toEqual([]);
    expect([name, at, Object.fromEntries(counts)]).toEqual([name, endorsements.length, expected[name]]);
  });
});
