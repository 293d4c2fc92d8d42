import type { EndorsedContest } from '../../../domain/recommendation.ts';
import { createPause } from '../../../service/pause.ts';
import type { BodyWriter } from '../../ballots/body-writer.ts';
import {
  type BallotContest,
  type BallotPicks,
  type Decision,
  DIGEST_BYTES,
  decide,
  type ElectionBallot,
  endOfChoice,
  endOfContest,
  PICK_NUMBERS,
  SLICE_MS,
} from '../../ballots/election-ballot.ts';
import type { BallotSelection } from './selection.ts';

/** A pick, with the place of its record. */
type PlacedPick = EndorsedContest['picks'][number] & { from: number; to: number };

function findPicks(
  { facts }: BallotPicks,
  counts: ReturnType<BallotSelection['chooseEndorsers']>,
): PlacedPick[] {
  const picks: PlacedPick[] = [];
  for (let at = 0; at < facts.length; at += PICK_NUMBERS) {
    const endorser = facts[at] ?? 0;
    if (counts && !counts(endorser)) continue;
    picks.push({
      endorser,
      choice: facts[at + 1] ?? 0,
      rank: facts[at + 2] || null,
      from: facts[at - 1] ?? 0,
      to: facts[at + 3] ?? 0,
    });
  }
  return picks;
}

/** Decides a contest; by all of its picks only once. */
function decideBy(picks: readonly PlacedPick[], { rules, picks: all }: BallotContest): Decision {
  if (picks.length * PICK_NUMBERS !== all?.facts.length) return decide({ ...rules, picks });
  all.decision ??= decide({ ...rules, picks });
  return all.decision;
}

/** Writes a contest with its recommendation (specification, "Recommendation"). */
function writeContest(
  writer: BodyWriter,
  { text, endorsers }: ElectionBallot,
  contest: BallotContest,
  picks: readonly PlacedPick[],
): void {
  const { rules, start, head, choices: places, picks: stored } = contest;
  const { order, recommendation } = decideBy(picks, contest);
  const backings = Map.groupBy(picks, ({ choice }) => choice);
  writer.copy(text, start, head);
  for (const [index, { id, ...counts }] of order.entries()) {
    if (index > 0) writer.text(',');
    const place = 2 * rules.choices.findIndex((choice) => choice.id === id);
    writer.copy(text, places[place] ?? 0, places[place + 1] ?? 0);
    writer.text(',"endorsed_by":[');
    for (const [nth, { endorser, from, to }] of (backings.get(id) ?? []).entries()) {
      const opening = endorsers.get(endorser)?.opening;
      if (!opening || !stored) throw new Error(`The ballot lacks endorser ${endorser}.`);
      writer.copy(opening, nth === 0 ? 1 : 0, opening.length);
      writer.copy(stored.records, from, to);
    }
    writer.text(endOfChoice(counts));
  }
  writer.text(endOfContest(recommendation));
}

/** Writes a list of elections, as `writeElection` does, until the client has left. */
export async function writeElections(
  writer: BodyWriter,
  ballots: AsyncIterable<ElectionBallot> | Iterable<ElectionBallot>,
  selection: BallotSelection,
  closed: AbortSignal,
): Promise<void> {
  let isFirst = true;
  for await (const ballot of ballots) {
    if (await writeElection(writer, ballot, selection, { isFirst })) isFirst = false;
    if (closed.aborted) break;
  }
}

/**
 * Writes an election with the recommendations in its chosen contests. Consecutive contests without picks of the chosen
 * endorsers are shared with the ballot. A whole state has thousands of contests, so other requests get their turn every
 * few milliseconds.
 *
 * @param isFirst whether it is the first election of its list
 * @returns whether the election has a chosen contest; nothing is written otherwise
 */
async function writeElection(
  writer: BodyWriter,
  ballot: ElectionBallot,
  { hasElection, hasContest, chooseEndorsers, onlyEndorsed }: BallotSelection,
  { isFirst }: { isFirst: boolean },
): Promise<boolean> {
  const { head, text, digests, contests } = ballot;
  if (!hasElection(ballot.election)) return false;
  const counts = chooseEndorsers(ballot);
  const pause = createPause(SLICE_MS);
  let isEmpty = true;
  const separate = () => {
    if (!isEmpty || !isFirst) writer.text(',');
    if (isEmpty) writer.copy(head, 0, head.length);
    isEmpty = false;
  };
  /** The first of the contests that wait to be written as they are; they are consecutive. */
  let first: number | null = null;
  const shareUntil = (end: number) => {
    if (first === null) return;
    separate();
    const bytes = text.subarray(contests[first]?.start, contests[end - 1]?.end);
    writer.share(bytes, digests.subarray(DIGEST_BYTES * first, DIGEST_BYTES * end));
    first = null;
  };
  for (const [index, contest] of contests.entries()) {
    const isChosen = hasContest(contest);
    const picks = isChosen && contest.picks ? findPicks(contest.picks, counts) : [];
    if (isChosen && picks.length === 0 && !onlyEndorsed) {
      first ??= index;
      continue;
    }
    shareUntil(index);
    if (picks.length === 0) continue;
    separate();
    writeContest(writer, ballot, contest, picks);
    await pause();
  }
  shareUntil(contests.length);
  if (!isEmpty) writer.text(']}');
  return !isEmpty;
}
