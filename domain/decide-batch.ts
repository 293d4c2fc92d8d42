import type { ChangeBody } from '../schemas/change.ts';
import type { Submission, SubmittedPick } from '../schemas/submission.ts';
import type { ChangeType } from '../schemas/vocabulary.ts';
import { refuseLargeEvent } from './event-size.ts';
import { decidePosition, type Position } from './position.ts';
import type { Refusal } from './refusal.ts';

/** A contest, with its choices by key. */
export interface BallotContest {
  contest: ChangeBody['contest'];
  election: ChangeBody['election'];
  choices: ReadonlyMap<string, ChangeBody['choice']>;
}

/** The part of the catalogue that a batch of submissions refers to. */
export interface Ballot {
  endorsers: ReadonlyMap<string, ChangeBody['endorser']>;
  contests: ReadonlyMap<string, BallotContest>;
}

/** An endorser's picks in a contest, with the endorser and the contest. */
export interface HeldPosition {
  endorser: ChangeBody['endorser'];
  contest: BallotContest;
  picks: Position;
}

/** A change by a batch. */
export interface BatchChange {
  /** The index of its submission in the batch. */
  index: number;
  type: ChangeType;
  endorser: ChangeBody['endorser'];
  contest: BallotContest;
  choice: ChangeBody['choice'];
  pick: SubmittedPick;
}

export interface BatchDecision {
  /** In the order in which the batch makes them. */
  changes: BatchChange[];
  /** By index in the batch. */
  refusals: Map<number, Refusal>;
  /** Every position that the batch touched, in its new state, by `positionKey`. */
  positions: Map<string, HeldPosition>;
}

/** Names an endorser's position in a contest: endorser slug, space, contest key. */
export function positionKey(endorser: string, contest: string): string {
  return `${endorser} ${contest}`;
}

function findNamed(ballot: Ballot, submission: Submission): Omit<HeldPosition, 'picks'> | Refusal {
  const endorser = ballot.endorsers.get(submission.endorser);
  if (!endorser) {
    return { code: 'unknown_endorser', message: `No endorser has the slug "${submission.endorser}".` };
  }
  const contest = ballot.contests.get(submission.contest);
  if (!contest)
    return { code: 'unknown_contest', message: `No contest has the key "${submission.contest}".` };
  return { endorser, contest };
}

/**
 * Decides a batch of submissions in order. Each decision builds on the ones before it.
 *
 * @param held the positions before the batch, by `positionKey`; absent ones are empty.
 * @param submissions well-formed submissions. A refusal in place of a submission is passed through.
 */
export function decideBatch(
  ballot: Ballot,
  held: ReadonlyMap<string, Position>,
  submissions: readonly (Submission | Refusal)[],
): BatchDecision {
  const decision: BatchDecision = { changes: [], refusals: new Map(), positions: new Map() };
  for (const [index, submission] of submissions.entries()) {
    const refusal =
      'code' in submission ? submission : decideOne(ballot, held, { index, submission }, decision);
    if (refusal) decision.refusals.set(index, refusal);
  }
  return decision;
}

function decideOne(
  ballot: Ballot,
  held: ReadonlyMap<string, Position>,
  { index, submission }: { index: number; submission: Submission },
  { changes, positions }: BatchDecision,
): Refusal | undefined {
  const named = findNamed(ballot, submission);
  if ('code' in named) return named;
  const { endorser, contest } = named;
  const key = positionKey(submission.endorser, submission.contest);
  const before = positions.get(key)?.picks ?? held.get(key) ?? new Map();
  const decided = decidePosition(before, submission, {
    key: submission.contest,
    vote_method: contest.contest.vote_method,
    hasChoice: (choice) => contest.choices.has(choice),
  });
  if ('code' in decided) return decided;
  const placed: BatchChange[] = [];
  for (const { type, pick } of decided.changes) {
    const choice = contest.choices.get(pick.choice);
    // The choice of a held pick exists, because removing a choice withdraws its endorsements.
    if (!choice) continue;
    const place = { endorser, contest: contest.contest, election: contest.election, choice };
    // A withdrawal repeats values that were accepted before.
    const refusal = type === 'deleted' ? undefined : refuseLargeEvent(pick, place);
    if (refusal) return refusal;
    placed.push({ index, type, endorser, contest, choice, pick });
  }
  positions.set(key, { endorser, contest, picks: decided.position });
  changes.push(...placed);
  return undefined;
}
