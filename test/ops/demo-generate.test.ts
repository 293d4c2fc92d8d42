import { describe, expect, test } from '@jest/globals';
import { generalElectionDays } from '../../ops/demo/catalogue/calendar.ts';
import { createDemo, DEMO_DEFAULT_SIZE } from '../../ops/demo/generate.ts';
import { type CatalogueKind, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import { parseSubmission } from '../../schemas/submission-files.ts';
import {
  CONTEST_KINDS,
  ELECTION_TYPES,
  LEVELS,
  STATE_CODES,
  VOTE_METHODS,
} from '../../schemas/vocabulary.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';

const run = createRunner('demo');

const TODAY = '2026-09-15';
const OPTIONS = { ...DEMO_DEFAULT_SIZE, seed: 1, today: TODAY };
const demo = createDemo(OPTIONS);
const contests = [...demo.contests()];
const elections = [...demo.elections()];
const endorsers = [...demo.endorsers()];
const records = [...demo.submissions()];
const submissions = records.map((record) => {
  const parsed = parseSubmission(record);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
});

interface BilingualText {
  field: string;
  en: unknown;
  es: unknown;
}

/** The texts of a record and of its parts that have a translation beside them, or should have one. */
function* bilingualTexts(value: unknown): Generator<BilingualText> {
  if (typeof value !== 'object' || value === null) return;
  for (const [field, en] of Object.entries(value)) {
    const es = (value as Record<string, unknown>)[`${field}_es`];
    if (es !== undefined) yield { field, en, es };
    // Names of people and organisations are the same in both languages.
    else if (['title', 'description', 'statement', 'party_label'].includes(field))
      yield { field, en, es: null };
    yield* bilingualTexts(en);
  }
}

const sorted = (values: Iterable<unknown>) => [...new Set(values)].sort();

describe('the demo', () => {
  test('is the same for the same options, and differs for another seed or day', () => {
    const again = createDemo(OPTIONS);
    expect([...again.contests()]).toEqual(contests);
    expect([...again.endorsers()]).toEqual(endorsers);
    expect([...again.submissions().take(500)]).toEqual(records.slice(0, 500));
    expect([...createDemo({ ...OPTIONS, seed: 2 }).contests()]).not.toEqual(contests);
    expect([...createDemo({ ...OPTIONS, today: '2027-09-15' }).elections()]).not.toEqual(elections);
  });

  test('can be imported unchanged', () => {
    const files: [CatalogueKind, Iterable<unknown>][] = [
      ['endorser-categories', demo.categories()],
      ['endorsers', endorsers],
      ['elections', elections],
      ['contests', contests],
    ];
    for (const [kind, records] of files) {
      const problems = [...records].flatMap((record) => {
        const parsed = parseCatalogueRecord(kind, record);
        return parsed.ok ? [] : parsed.problems;
      });
      expect(problems).toEqual([]);
    }
  });

  test('has every state, type, kind, vote method and level', () => {
    expect(sorted(elections.map(({ state }) => state))).toEqual(sorted(STATE_CODES));
    expect(sorted(elections.map(({ type }) => type))).toEqual(sorted(ELECTION_TYPES));
    expect(sorted(contests.map(({ kind }) => kind))).toEqual(sorted(CONTEST_KINDS));
    expect(sorted(contests.map(({ vote_method }) => vote_method))).toEqual(sorted(VOTE_METHODS));
    expect(sorted(contests.map(({ district }) => district.level))).toEqual(sorted(LEVELS));
    expect(sorted(endorsers.map(({ state }) => state))).toEqual(sorted([...STATE_CODES, 'national']));
    expect(sorted(endorsers.map(({ category }) => category))).toEqual(
      sorted([...demo.categories()].map(({ slug }) => slug)),
    );
  });

  test('names everything once', () => {
    for (const keys of [
      elections.map(({ slug }) => slug),
      endorsers.map(({ slug }) => slug),
      contests.map(({ key }) => key),
    ]) {
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('has the requested number of each', () => {
    expect(contests).toHaveLength(OPTIONS.contests);
    expect(endorsers).toHaveLength(OPTIONS.endorsers);
    const picks = submissions.reduce((sum, submission) => sum + submission.picks.length, 0);
    expect(picks).toBeLessThanOrEqual(OPTIONS.endorsements);
    expect(picks).toBeGreaterThan(OPTIONS.endorsements * 0.95);
  });

  test('has fusion lines exactly in the elections with fusion voting, and none of these in Nevada', () => {
    const statesOf = (some: typeof contests) => sorted(some.map(({ election }) => election.slice(0, 2)));
    const fused = contests.filter(({ choices }) => {
      const keys = choices.flatMap(({ candidate }) => candidate?.key ?? []);
      return new Set(keys).size < keys.length;
    });
    const fusing = elections.filter(({ details }) => details?.fusion_voting);
    expect(statesOf(fused)).toEqual(['ct', 'ny']);
    expect(sorted(fusing.map(({ state }) => state))).toEqual(['CT', 'NY']);
    expect(statesOf(contests.filter(({ choices }) => choices.some(({ option }) => option)))).toEqual(['nv']);
  });

  test('is completely in Spanish: every text has a translation, and no translation has English words', () => {
    const texts = [...demo.categories(), ...endorsers, ...elections, ...contests, ...records].flatMap(
      (record) => [...bilingualTexts(record)],
    );
    const fields = ['ballot_designation', 'description', 'label', 'name', 'party_label', 'short_name'];
    expect(sorted(texts.map(({ field }) => field))).toEqual(
      sorted([...fields, 'short_title', 'singular_name', 'statement', 'title']),
    );
    expect(texts.filter(({ en, es }) => (en === null) !== (es === null))).toEqual([]);
    // Some words are the same in both languages, such as the name of a place.
    const unlike = texts.filter(({ en, es }) => en !== null && en !== es);
    expect(unlike.length).toBeGreaterThan(10_000);
    const english = /\b(the|of|and|State|County|District|School|New|North|South|West|Islands|years?)\b/;
    const named = new Set(endorsers.map(({ name }) => name));
    const withoutNames = (text: string) =>
      text.replace(/^.* (?=publica)/, (name) => (named.has(name.trim()) ? '' : name));
    expect(unlike.filter(({ es }) => english.test(withoutNames(String(es))))).toEqual([]);
    expect(unlike.filter(({ es }) => / (de el|a el) /.test(String(es)))).toEqual([]);
  });

  test('has details that need no translation', () => {
    const details = contests.flatMap((contest) => Object.values(contest.details ?? {}));
    expect(details.filter((detail) => typeof detail === 'string' && !/^[0-9.%–]+$/.test(detail))).toEqual([]);
  });

  test('has upcoming and past elections', () => {
    expect(elections.filter(({ date }) => date >= TODAY).length).toBeGreaterThanOrEqual(STATE_CODES.length);
    expect(elections.filter(({ date }) => date < TODAY).length).toBeGreaterThanOrEqual(STATE_CODES.length);
  });
});

describe('the demo endorsements', () => {
  const byKey = new Map(contests.map((contest) => [contest.key, contest]));
  const candidateOf = (contest: string, key: string) =>
    byKey.get(contest)?.choices.find((choice) => choice.key === key)?.candidate?.key ?? key;
  const dates = new Map(elections.map(({ slug, date }) => [slug, date]));

  test('name existing endorsers and contests, and choices that can be endorsed', () => {
    const slugs = new Set(endorsers.map(({ slug }) => slug));
    const wrong = submissions.filter(({ endorser, contest, picks }) => {
      const choices = byKey.get(contest)?.choices ?? [];
      const chosen = picks.map((pick) => choices.find(({ key }) => key === pick.choice));
      return !slugs.has(endorser) || !chosen.every((choice) => choice && !choice.withdrawn && !choice.option);
    });
    expect(wrong).toEqual([]);
  });

  test('have one position of an endorser in a contest', () => {
    const positions = submissions.map(({ endorser, contest }) => `${endorser} ${contest}`);
    expect(new Set(positions).size).toBe(positions.length);
  });

  test('are ranked if the contest is, within its limit', () => {
    const wrong = submissions.filter(({ contest, picks }) => {
      const { vote_method, votes_allowed, ranks_allowed } = byKey.get(contest) ?? {};
      if (vote_method === 'ranked_choice') {
        return picks.length > (ranks_allowed ?? 0) || !picks.every(({ rank }, index) => rank === index + 1);
      }
      if (!picks.every(({ rank }) => rank === null)) return true;
      const candidates = new Set(picks.map(({ choice }) => candidateOf(contest, choice)));
      return vote_method !== 'approval' && candidates.size > (votes_allowed ?? 0);
    });
    expect(wrong).toEqual([]);
  });

  test('were published before the election and not in the future', () => {
    const wrong = submissions.filter(({ contest, picks }) => {
      const date = dates.get(contest.split('/')[0] ?? '') ?? '';
      return picks.some(({ published_on }) => !published_on || published_on > TODAY || published_on >= date);
    });
    expect(wrong).toEqual([]);
  });
});

test.each([
  ['2026-11-03', '2025-11-04', '2026-11-03'],
  ['2026-11-04', '2026-11-03', '2027-11-02'],
  ['2028-01-01', '2027-11-02', '2028-11-07'],
])('around %s the generals are %s and %s', (today, last, next) => {
  expect(generalElectionDays(today)).toEqual({ last, next });
});

test.each([0, 1, 56, 300])('a demo can have only %i contests', (size) => {
  const small = createDemo({ contests: size, endorsers: size, endorsements: size, seed: 3, today: TODAY });
  expect([...small.contests()]).toHaveLength(size);
  expect([...small.submissions()].length).toBeLessThanOrEqual(size);
});

test('a folder that cannot be made is reported in one sentence', async () => {
  const io = createIo({});
  await expect(run(['generate', '/dev/null/x', '--contests', '1'], io)).rejects.toThrow(
    'The folder /dev/null/x cannot be used (not a directory): choose a folder that can be written.',
  );
});
