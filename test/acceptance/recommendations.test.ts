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
import { expectSchema } from '../helpers/http/response-schema.ts';
import { useTestService } from '../helpers/service/service.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../shared/data/sf-2016');
const ELECTIONS = ['ca-sf-2016-06-07-primary', 'ca-sf-2016-11-08-general'];

interface ContestLine {
  key: string;
  election: string;
  title: string;
  vote_method: string;
  votes_allowed: number | null;
  choices: { key: string; label: string }[];
}

interface Shown {
  title: string;
  choices: {
    id: number;
    label: string;
    endorsement_count: number;
    endorsed_by: { endorser: { slug: string } }[];
  }[];
  recommendation: { choice_ids: number[]; endorser_count: number; agreement: string };
}

async function readLines<T>(name: string): Promise<T[]> {
  const text = await readFile(path.join(FOLDER, name), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The expected answer from the files alone, with the backers of each choice by its label. */
function expectedOf(contest: ContestLine, lines: readonly EndorsementLine[]) {
  const here = lines.filter((line) => line.contest === contest.key);
  const everyone = new Set(here.map(({ endorser }) => endorser)).size;
  const backed = contest.choices
    .map(({ key, label }) => ({
      label,
      backers: here
        .filter(({ choice }) => choice === key)
        .map(({ endorser }) => endorser)
        .sort(),
    }))
    .sort((a, b) => b.backers.length - a.backers.length);
  const sizes = backed.map(({ backers }) => backers.length);
  const best = sizes[0] ?? 0;
  let marked: typeof backed;
  if (contest.vote_method === 'multi_seat') {
    const bar = contest.votes_allowed === null ? everyone / 2 : (sizes[contest.votes_allowed] ?? 0);
    marked = backed.filter(({ backers }) => backers.length > bar);
  } else if (contest.vote_method === 'ranked_choice') {
    // These files have no ranks, so no votes are transferred: the choices with most backers come first, up to the first
    // tie.
    const tie = sizes.findIndex((size, index) => size === (sizes[index + 1] ?? 0));
    marked = backed.slice(0, tie === -1 ? backed.length : tie);
  } else {
    marked = best > (sizes[1] ?? 0) ? backed.slice(0, 1) : [];
  }
  const decisive = contest.vote_method === 'ranked_choice' ? marked[0] : marked.at(-1);
  const least = decisive?.backers.length ?? 0;
  let agreement = least > everyone / 2 ? 'majority' : 'plurality';
  if (least === everyone) agreement = 'unanimous';
  if (marked.length === 0) agreement = everyone > 0 ? 'split' : 'none';
  return { title: contest.title, backed, marked: marked.map(({ label }) => label), everyone, agreement };
}

/** An answer in the same form. */
function shownOf({ title, choices, recommendation }: Shown) {
  return {
    title,
    backed: choices.map(({ label, endorsed_by }) => ({
      label,
      backers: endorsed_by.map(({ endorser }) => endorser.slug).sort(),
    })),
    marked: recommendation.choice_ids.map((id) => choices.find((choice) => choice.id === id)?.label),
    everyone: recommendation.endorser_count,
    agreement: recommendation.agreement,
  };
}

(hasRealData ? describe : describe.skip)(titleOnRealData('recommendations of San Francisco, 2016'), () => {
  let contests: ContestLine[];
  let lines: EndorsementLine[];

  const service = useTestService({ catalogue: [] });
  beforeAll(async () => {
    await importRealCatalogue(service);
    await submitRealEndorsements(service);
    contests = await readLines<ContestLine>('contests.ndjson');
    // Sources other than URLs are refused.
    lines = (await readEndorsementLines()).filter(
      ({ source_url }) => source_url === null || /^https?:\/\//i.test(source_url),
    );
    await service.eventsOnceThereAre(lines.length, 60_000);
  });

  async function read(query: string): Promise<Map<string, Shown[]>> {
    const { status, body } = await service.get(`/v1/recommendations?election=${ELECTIONS.join()}${query}`);
    expect(status).toBe(200);
    expectSchema('/v1/recommendations', body);
    return new Map(
      body.data.elections.map(({ slug, contests: shown }: { slug: string; contests: Shown[] }) => [
        slug,
        shown,
      ]),
    );
  }

  async function expectAnswers(query: string, chosen: readonly EndorsementLine[]): Promise<string[]> {
    const answer = await read(query);
    expect([...answer.keys()]).toEqual(ELECTIONS);
    const byTitle = (a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : 1);
    const agreements: string[] = [];
    for (const [election, shown] of answer) {
      const wanted = contests
        .filter((contest) => contest.election === election)
        .map((contest) => expectedOf(contest, chosen));
      expect(shown.map(shownOf).sort(byTitle)).toEqual(wanted.sort(byTitle));
      agreements.push(...wanted.map(({ agreement }) => agreement));
    }
    return agreements;
  }

  test('follow from its endorsements in each of 71 contests', async () => {
    const agreements = await expectAnswers('', lines);
    expect(agreements).toHaveLength(71);
    expect(new Set(agreements)).toEqual(new Set(['majority', 'unanimous']));
  });

  test('are the picks of a single chosen endorser', async () => {
    const busiest = lines.filter(({ endorser }) => endorser === 'aft-local-2121');
    expect(busiest.length).toBeGreaterThan(10);
    const agreements = await expectAnswers('&endorsers=aft-local-2121', busiest);
    expect(new Set(agreements)).toContain('none');
  });

  test('are the same for endorsers chosen by category as for those chosen by name', async () => {
    const endorsers = await readLines<{ slug: string; category: string }>('endorsers.ndjson');
    const { category } = endorsers[0] as { category: string };
    const names = new Set(endorsers.filter((each) => each.category === category).map(({ slug }) => slug));
    const chosen = lines.filter(({ endorser }) => names.has(endorser));
    await expectAnswers(`&categories=${category}`, chosen);
    await expectAnswers(`&endorsers=${[...names].join()}`, chosen);
  });
});
