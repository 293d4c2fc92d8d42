import type {
  ContestRecord,
  ElectionRecord,
  EndorserCategoryRecord,
  EndorserRecord,
} from '../../schemas/catalogue-files.ts';
import type { SubmissionLine } from '../../schemas/submission-files.ts';
import type { StagedOfficeholder } from '../../store/officeholders/import.ts';
import { contestsOf } from './catalogue/contests.ts';
import { type DemoElection, demoElections } from './catalogue/elections.ts';
import { DEMO_CATEGORIES, type DemoEndorser, demoEndorsers } from './catalogue/endorsers.ts';
import { demoOfficeholders } from './catalogue/officeholders.ts';
import { DEMO_STATES } from './catalogue/states.ts';
import { demoPosition } from './positions.ts';
import { createRandom, type Random } from './random.ts';

export interface DemoSize {
  contests: number;
  endorsers: number;
  /** The target number of endorsements; with too few endorsers there are fewer. */
  endorsements: number;
}

export interface DemoOptions extends DemoSize {
  seed: number;
  /** YYYY-MM-DD; elections lie around it. */
  today: string;
}

/** A size that one machine loads in seconds. */
export const DEMO_DEFAULT_SIZE: DemoSize = { contests: 2_500, endorsers: 400, endorsements: 30_000 };

/** The records of a demo, in the form of the import's files, and its officeholders. Every call returns the same records from the start. */
export interface Demo {
  categories(): Iterable<EndorserCategoryRecord>;
  endorsers(): Iterable<EndorserRecord>;
  elections(): Iterable<ElectionRecord>;
  contests(): Generator<ContestRecord>;
  submissions(): Generator<SubmissionLine>;
  officeholders(): StagedOfficeholder[];
}

/**
 * Invents a national catalogue and its endorsements; the same options give the same records. Only elections and
 * endorsers are in memory; contests and endorsements are made one at a time.
 */
export function createDemo({ seed, today, ...size }: DemoOptions): Demo {
  const random = createRandom(seed);
  const elections = shareContests(demoElections(today), size.contests);
  const endorsers = demoEndorsers(size.endorsers, random.fork('endorsers'));

  function* contests(): Generator<{ contest: ContestRecord; election: DemoElection }> {
    for (const { election, contests: limit } of elections) {
      for (const contest of contestsOf(election, limit, random.fork('contests'))) yield { contest, election };
    }
  }

  return {
    categories: () => DEMO_CATEGORIES,
    endorsers: () => endorsers.map(({ record }) => record),
    elections: () => elections.map(({ election }) => election.record),
    *contests() {
      for (const { contest } of contests()) yield contest;
    },
    officeholders: () => demoOfficeholders(today, random.fork('officeholders')),
    *submissions() {
      const pools = poolsByState(endorsers);
      let saved = 0;
      for (const { contest, election } of contests()) {
        saved += size.endorsements / Math.max(1, size.contests);
        const drawn = random.fork(`endorsements of ${contest.key}`);
        // Two contests in five get no endorsement; the next ones get their share.
        if (drawn.chance(0.4)) continue;
        const facts = { electionDate: election.record.date, today };
        const pool = pools.get(election.record.state) ?? [];
        for (const { submission, picks } of positionsOf(contest, pool, Math.floor(saved), facts, drawn)) {
          saved -= picks;
          yield submission;
        }
      }
    },
  };
}

/** The number of contests of each election: every state has the same base, and the rest by its size. */
function shareContests(
  elections: DemoElection[],
  total: number,
): { election: DemoElection; contests: number }[] {
  const weights = elections.map(({ state, share }) => share * (6 + state.seats));
  const sum = weights.reduce((a, b) => a + b, 0);
  let weight = 0;
  let given = 0;
  return elections.map((election, index) => {
    weight += weights[index] ?? 0;
    const contests = Math.round((total * weight) / sum) - given;
    given += contests;
    return { election, contests };
  });
}

/** The endorsers of each state: its own and the national ones. */
function poolsByState(endorsers: DemoEndorser[]): Map<string, DemoEndorser[]> {
  const national = endorsers.filter(({ record }) => record.state === 'national');
  return new Map(
    DEMO_STATES.map(({ code }) => [
      code,
      [...national, ...endorsers.filter(({ record }) => record.state === code)],
    ]),
  );
}

/** Positions of different endorsers of the pool, with at most `budget` picks in total. */
function* positionsOf(
  contest: ContestRecord,
  pool: DemoEndorser[],
  budget: number,
  facts: { electionDate: string; today: string },
  random: Random,
): Generator<{ submission: SubmissionLine; picks: number }> {
  let left = budget;
  for (const endorser of walk(pool, random)) {
    if (left <= 0) return;
    const position = demoPosition(contest, endorser, { ...facts, budget: left, random });
    if (!position) return;
    left -= position.picks;
    yield position;
  }
}

/** Yields every item once, from a random place and with a random stride, without copying the list. */
function* walk<T>(list: readonly T[], random: Random): Generator<T> {
  const start = random.below(list.length);
  let stride = 1 + random.below(list.length);
  while (greatestCommonDivisor(stride, list.length) !== 1) stride += 1;
  for (let step = 0; step < list.length; step += 1) {
    const item = list[(start + step * stride) % list.length];
    if (item !== undefined) yield item;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
