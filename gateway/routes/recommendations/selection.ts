import { createPartPredicate } from '../../../domain/ballot-parts.ts';
import { positionFilters } from '../../../schemas/http/parameters.ts';
import type { FieldOf } from '../../../schemas/vocabulary.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import type { ListedElection } from '../../../store/reads/ballots.ts';
import type { ContestFilters, EndorserFilters } from '../../../store/reads/conditions.ts';
import type { BallotContest, ElectionBallot } from '../../ballots/election-ballot.ts';
import { ApiError } from '../../http/api-error.ts';
import { requireKnownSlugs, requireSubscription } from '../../selection/stream-filter.ts';

const ENDORSER_FIELDS = Object.keys(positionFilters) as FieldOf<'endorser'>[];

/** The choice of contests. */
interface ContestSelection extends ContestFilters {
  /** Contest ids. */
  contests?: readonly number[] | undefined;
}

/** The part of a ballot that an answer shows. */
export interface BallotSelection {
  hasElection(election: ListedElection): boolean;
  hasContest(contest: BallotContest): boolean;
  /** Tells by their ids which endorsers count; null if all do. */
  chooseEndorsers(ballot: ElectionBallot): ((id: number) => boolean) | null;
  /** Only contests in which one of these endorsers took a position. */
  onlyEndorsed: boolean;
}

/** The endorsers that count, and the contests that a subscription keeps. */
interface EndorserSelection {
  /** The selection as the answer shows it, under `endorsers`. */
  shown: 'all' | Record<string, readonly string[] | null> | { subscription: object };
  endorsers: EndorserFilters;
  narrowing: ContestSelection;
}

/** Selects endorsers by query parameters; without any, all endorsers. */
function selectEndorsers(query: EndorserFilters): EndorserSelection {
  const isAnyGiven = ENDORSER_FIELDS.some((field) => query[field] !== undefined);
  const asked = Object.fromEntries(ENDORSER_FIELDS.map((field) => [field, query[field] ?? null]));
  return { shown: isAnyGiven ? asked : 'all', endorsers: query, narrowing: {} };
}

/** The parameters that choose endorsers and elections. */
interface SelectionParameters extends EndorserFilters {
  election?: readonly string[] | undefined;
  subscription?: string | undefined;
}

/**
 * Selects endorsers by the request's subscription or by its own parameters (specification, "GET
 * /v1/recommendations"). The states, elections, contest kinds and levels of a subscription also narrow the
 * contests. Its slugs were checked when it was saved.
 *
 * @throws ApiError invalid_parameter for an unknown slug or a subscription together with parameters that
 *   choose endorsers; subscription_not_found.
 */
export async function readSelection(
  query: SelectionParameters,
  accountId: number,
  pool: DatabasePool,
): Promise<EndorserSelection> {
  const slugs = { categories: query.categories, endorsers: query.endorsers, elections: query.election };
  await requireKnownSlugs(slugs, 'invalid_parameter', pool, { elections: 'election' });
  if (query.subscription === undefined) return selectEndorsers(query);
  const beside = ENDORSER_FIELDS.find((name) => query[name] !== undefined);
  if (beside !== undefined) {
    const message = `subscription and ${beside} exclude each other; the subscription chooses the endorsers.`;
    throw new ApiError('invalid_parameter', message);
  }
  const { id, name, filter } = await requireSubscription(query.subscription, accountId, pool);
  return { shown: { subscription: { id, name } }, endorsers: filter, narrowing: filter };
}

function createContestPredicate({ contests, ...filters }: ContestSelection): BallotSelection['hasContest'] {
  const ids = contests && new Set(contests);
  const isOfKind = createPartPredicate('contest', filters);
  return ({ id, level, kind }) => (ids?.has(id) ?? true) && isOfKind({ levels: level, contest_kinds: kind });
}

function createElectionPredicate({
  electionsFrom = '',
  ...filters
}: ContestSelection): BallotSelection['hasElection'] {
  const isChosen = createPartPredicate('election', filters);
  return ({ slug, state, date }) => date >= electionsFrom && isChosen({ elections: slug, states: state });
}

/** Selects contests that match each of the given selections, and endorsers. */
export function selectBallots(
  contests: readonly ContestSelection[],
  endorsers: EndorserFilters,
): Omit<BallotSelection, 'onlyEndorsed'> {
  const elections = contests.map(createElectionPredicate);
  const ofContests = contests.map(createContestPredicate);
  const isChosen = createPartPredicate('endorser', endorsers);
  const areAll = ENDORSER_FIELDS.every((field) => endorsers[field] === undefined);
  return {
    hasElection: (election) => elections.every((matches) => matches(election)),
    hasContest: (contest) => ofContests.every((matches) => matches(contest)),
    chooseEndorsers(ballot) {
      if (areAll) return null;
      const chosen = new Map<number, boolean>();
      return (id) => {
        const known = chosen.get(id);
        if (known !== undefined) return known;
        const { slug = '', category = '', state = '' } = ballot.endorsers.get(id) ?? {};
        const counts = isChosen({ endorsers: slug, categories: category, endorser_states: state });
        chosen.set(id, counts);
        return counts;
      };
    },
  };
}
