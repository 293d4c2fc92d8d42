import type { ContestRules, StoredBallots } from '../../../store/reads/ballots.ts';
import type { DataVersions } from '../../../store/reads/data-versions.ts';

/** An endorser's pick of a choice. */
export interface TestPick {
  endorser: number;
  choice: number;
  rank?: number | null;
  statement?: string;
}

/** A contest with its picks, in the order in which they are shown. */
export interface TestContest {
  id: number;
  election?: number;
  level?: string;
  kind?: string;
  rules?: Partial<ContestRules>;
  picks?: TestPick[];
}

/** The date of each election. */
export const ELECTION_DATE = '2026-11-03';

const CHOICES = [10, 11, 12].map((id) => ({ id, withdrawn: false, candidate: null }));

/** Plurality, of three choices. */
export const rulesOf = ({ rules }: TestContest): ContestRules => ({
  vote_method: 'plurality',
  votes_allowed: 1,
  ranks_allowed: null,
  choices: CHOICES,
  ...rules,
});

const lines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n');
const stateOf = (election: number) => (election % 2 === 0 ? 'OR' : 'WY');

export const contestRecord = (id: number) => ({ id, title: `Contest ${id}` });
export const choiceRecord = (id: number) => ({ id, label: `Choice ${id} \u2028` });
export const electionRecord = (id: number) => ({ id, slug: `election-${id}` });
export const endorserRecord = (id: number) => ({ id, slug: `endorser-${id}`, name: `Nombré ${id}` });
export const pickRecord = ({ rank = null, statement = '' }: TestPick) => ({ rank, statement });

/** Endorsers with odd ids are newspapers of Oregon, the others national unions. */
export const endorserFacts = (id: number) =>
  id % 2 === 1
    ? { slug: `endorser-${id}`, category: 'newspaper', state: 'OR' }
    : { slug: `endorser-${id}`, category: 'labor', state: 'national' };

/** Contests as the database tells them. */
export function storedBallots(
  contests: readonly TestContest[],
  versions: Partial<DataVersions> = {},
): StoredBallots {
  const electionIds = [...new Set(contests.map(({ election = 1 }) => election))].sort((a, b) => a - b);
  const endorserIds = [...new Set(contests.flatMap(({ picks = [] }) => picks.map((pick) => pick.endorser)))];
  return {
    versions: { epoch: '1', sequence: 1, catalogue: '1', officeholders: '1', ...versions },
    contests: contests.map((contest) => {
      const { id, election = 1, level = 'state', kind = 'candidate' } = contest;
      const rules = rulesOf(contest);
      return {
        ...{ id, electionId: election, level, kind, rules },
        record: JSON.stringify(contestRecord(id)),
        choices: lines(rules.choices.map((choice) => choiceRecord(choice.id))),
      };
    }),
    elections: electionIds.map((id) => ({
      ...{ id, slug: `election-${id}`, state: stateOf(id), date: ELECTION_DATE },
      record: JSON.stringify(electionRecord(id)),
    })),
    picks: contests
      .filter(({ picks = [] }) => picks.length > 0)
      .map(({ id, picks = [] }) => ({
        contestId: id,
        facts: picks.map(({ endorser, choice, rank = null }) => [endorser, choice, rank]),
        records: lines(picks.map(pickRecord)),
      })),
    endorsers: endorserIds.map((id) => ({
      id,
      ...endorserFacts(id),
      record: JSON.stringify(endorserRecord(id)),
    })),
  };
}
