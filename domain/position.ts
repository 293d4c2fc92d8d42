import type { Submission, SubmittedPick } from '../schemas/submission.ts';
import type { ChangeType, VoteMethod } from '../schemas/vocabulary.ts';
import type { Refusal } from './refusal.ts';

/** An endorser's picks in one contest, by choice key. Order does not matter. */
export type Position = ReadonlyMap<string, SubmittedPick>;

/** What happens to one pick: the new values, or for a deleted pick those it had. */
export interface PickChange {
  type: ChangeType;
  pick: SubmittedPick;
}

export interface Decision {
  /** In the order in which they become events: deletions, then updates, then additions, so no rank is held twice. */
  changes: PickChange[];
  /** The endorser's position afterwards. It can differ without changes: `details` are kept but make no event. */
  position: Position;
}

/** What a contest must say for a submission to be judged. */
export interface ContestRules {
  key: string;
  vote_method: VoteMethod;
  hasChoice(choice: string): boolean;
}

/** Whether the two differ in anything a client can see. */
function differsVisibly(a: SubmittedPick, b: SubmittedPick): boolean {
  return (
    a.rank !== b.rank ||
    a.statement !== b.statement ||
    a.statement_es !== b.statement_es ||
    a.source_url !== b.source_url ||
    a.published_on !== b.published_on
  );
}

function refusePicks(contest: ContestRules, picks: SubmittedPick[]): Refusal | undefined {
  for (const { choice, rank } of picks) {
    if (!contest.hasChoice(choice)) {
      return { code: 'unknown_choice', message: `Contest ${contest.key} has no choice "${choice}".` };
    }
    if (rank !== null && contest.vote_method !== 'ranked_choice') {
      return {
        code: 'rank_not_allowed',
        message: `rank ${rank} is given for "${choice}", but contest ${contest.key} is ${contest.vote_method}: only ranked_choice has ranks.`,
      };
    }
  }
  return undefined;
}

function wantedPosition(current: Position, { action, picks }: Submission): Position {
  if (action === 'position') return new Map(picks.map((pick) => [pick.choice, pick]));
  const wanted = new Map(current);
  for (const pick of picks) {
    if (action === 'endorse') wanted.set(pick.choice, pick);
    else wanted.delete(pick.choice);
  }
  return wanted;
}

function refuseSharedRank(wanted: Position): Refusal | undefined {
  const holders = new Map<number, string>();
  for (const { choice, rank } of wanted.values()) {
    if (rank === null) continue;
    const holder = holders.get(rank);
    if (holder !== undefined) {
      return {
        code: 'rank_taken',
        message: `rank ${rank} would be held by both "${holder}" and "${choice}"; submit the whole position to reorder it.`,
      };
    }
    holders.set(rank, choice);
  }
  return undefined;
}

/** The changes that lead from one position to another. */
export function diffPositions(before: Position, after: Position): PickChange[] {
  const deleted = [...before.values()].filter((pick) => !after.has(pick.choice));
  const updated: SubmittedPick[] = [];
  const created: SubmittedPick[] = [];
  for (const pick of after.values()) {
    const held = before.get(pick.choice);
    if (!held) created.push(pick);
    else if (differsVisibly(held, pick)) updated.push(pick);
  }
  return [
    ...deleted.map((pick): PickChange => ({ type: 'deleted', pick })),
    ...updated.map((pick): PickChange => ({ type: 'updated', pick })),
    ...created.map((pick): PickChange => ({ type: 'created', pick })),
  ];
}

/**
 * What a well-formed submission does to its endorser's position in the contest (specification, "Position").
 *
 * Nothing limits how many choices an endorser backs; a submission that changes nothing has no changes (INV-9).
 */
export function decidePosition(
  current: Position,
  submission: Submission,
  contest: ContestRules,
): Decision | Refusal {
  const refusal = refusePicks(
    contest,
    submission.action === 'withdraw' ? submission.picks.map(withoutRank) : submission.picks,
  );
  if (refusal) return refusal;
  const position = wantedPosition(current, submission);
  return refuseSharedRank(position) ?? { changes: diffPositions(current, position), position };
}

/** A withdrawal names a choice; whatever else it repeats of the pick is of no account. */
function withoutRank(pick: SubmittedPick): SubmittedPick {
  return { ...pick, rank: null };
}
