import type { Submission, SubmittedPick } from '../schemas/submission.ts';
import type { ChangeType, VoteMethod } from '../schemas/vocabulary.ts';
import type { Refusal } from './refusal.ts';

/** An endorser's picks in one contest, by choice key. The order does not matter. */
export type Position = ReadonlyMap<string, SubmittedPick>;

export const positionOf = (picks: readonly SubmittedPick[]): Position =>
  new Map(picks.map((pick) => [pick.choice, pick]));

/** A change of one pick: its new values, or its last values if it is deleted. */
export interface PickChange {
  type: ChangeType;
  pick: SubmittedPick;
}

export interface Decision {
  /** In the order of their events: deletions, updates, additions, so that no rank is held twice. */
  changes: PickChange[];
  /** The endorser's new position. Can differ without changes: `details` are stored without an event. */
  position: Position;
}

/** The rules of a contest for submissions. */
export interface ContestRules {
  key: string;
  vote_method: VoteMethod;
  hasChoice(choice: string): boolean;
}

/** Whether two picks differ in a visible value. */
function differsVisibly(a: SubmittedPick, b: SubmittedPick): boolean {
  return (
    a.rank !== b.rank ||
    a.statement !== b.statement ||
    a.statement_es !== b.statement_es ||
    a.source_url !== b.source_url ||
    a.published_on !== b.published_on
  );
}

function refusePicks(contest: ContestRules, { action, picks }: Submission): Refusal | undefined {
  for (const { choice, rank } of picks) {
    if (!contest.hasChoice(choice)) {
      return { code: 'unknown_choice', message: `Contest ${contest.key} has no choice "${choice}".` };
    }
    // A withdrawal only names a choice. The other values of its pick are ignored.
    if (rank !== null && action !== 'withdraw' && contest.vote_method !== 'ranked_choice') {
      return {
        code: 'rank_not_allowed',
        message: `rank ${rank} is given for "${choice}", but contest ${contest.key} is ${contest.vote_method}: only ranked_choice has ranks.`,
      };
    }
  }
  return undefined;
}

function wantedPosition(current: Position, { action, picks }: Submission): Position {
  if (action === 'position') return positionOf(picks);
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

/** The changes from one position to another. */
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
 * Decides how a well-formed submission changes the endorser's position in the contest (specification,
 * "Position"). An endorser may back any number of choices. A repeated submission yields no changes (INV-9).
 */
export function decidePosition(
  current: Position,
  submission: Submission,
  contest: ContestRules,
): Decision | Refusal {
  const refusal = refusePicks(contest, submission);
  if (refusal) return refusal;
  const position = wantedPosition(current, submission);
  return refuseSharedRank(position) ?? { changes: diffPositions(current, position), position };
}
