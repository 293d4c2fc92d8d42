import { hash } from 'node:crypto';
import { type EndorsedContest, orderBySupport, recommend } from '../../domain/recommendation.ts';
import type { Recommendation } from '../../schemas/http/recommendations.ts';
import { escapeLineBreaks } from '../../schemas/json-text.ts';
import { createPause } from '../../service/pause.ts';
import type {
  ContestRules,
  ListedElection,
  StoredBallotPicks,
  StoredBallots,
  StoredContest,
  StoredEndorser,
  StoredPicks,
} from '../../store/reads/ballots.ts';
import { copyPieces, encodeTexts } from '../http/content.ts';
import { BodyWriter } from './body-writer.ts';

/** The longest time for which a large ballot may block other requests, in milliseconds. */
export const SLICE_MS = 5;
/** The numbers of a pick in `BallotPicks.facts`. */
export const PICK_NUMBERS = 4;
/** The approximate memory of objects besides their bytes. */
const CONTEST_BYTES = 900;
const CHOICE_BYTES = 100;
const ENDORSER_BYTES = 300;

/** The recommendation by some picks, and the order of the choices. */
export interface Decision {
  order: ReturnType<typeof orderBySupport>;
  recommendation: Recommendation;
}

export const decide = (contest: EndorsedContest): Decision => ({
  order: orderBySupport(contest),
  recommendation: recommend(contest),
});

/** The picks in a contest, in the order in which they are shown. */
export interface BallotPicks {
  /** For each pick: its endorser, its choice, its rank or 0, and the end of its record. */
  facts: Int32Array;
  /** The JSON of the picks without their endorsers and without their opening braces, one after another. */
  records: Buffer;
  /** The decision by all of them, once it was asked for. */
  decision: Decision | null;
}

/** A contest in memory. Its places are in the text of its election. */
export interface BallotContest {
  id: number;
  level: string;
  kind: string;
  rules: ContestRules;
  start: number;
  /** The end of what comes before its choices. */
  head: number;
  /** The beginning and the end of each choice in the order of `rules.choices`, without the endorsements. */
  choices: Int32Array;
  end: number;
  /** Null without picks. */
  picks: BallotPicks | null;
}

/** An endorser with picks in an election. */
interface BallotEndorser extends Omit<StoredEndorser, 'record'> {
  /** The JSON of an endorsement up to its pick's record, after a comma: `,{"endorser":{...},`. */
  opening: Buffer;
}

/** The contests of an election in memory, as bytes. Only the picks of a ballot change. */
export interface ElectionBallot {
  election: ListedElection;
  /** The election's JSON up to its contests. */
  head: Buffer;
  /** The JSON of all contests as they are without picks, separated by commas. */
  text: Buffer;
  /** The digests of the contests in `text`, each of `DIGEST_BYTES`. */
  digests: Buffer;
  /** In the order of the ballot. */
  contests: readonly BallotContest[];
  contestsById: ReadonlyMap<number, BallotContest>;
  endorsers: Map<number, BallotEndorser>;
}

export const DIGEST_BYTES = 20;

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

/** Packs loaded ballots, by election. */
export async function packBallots(stored: StoredBallots): Promise<ElectionBallot[]> {
  const contestsOf = Map.groupBy(stored.contests, ({ electionId }) => electionId);
  const ballots: ElectionBallot[] = [];
  for (const { record, ...election } of stored.elections) {
    const ballot = await packElection(election, record, contestsOf.get(election.id) ?? []);
    await replacePicks(ballot, stored);
    ballots.push(ballot);
  }
  return ballots;
}

async function packElection(
  election: ListedElection,
  record: string,
  stored: readonly StoredContest[],
): Promise<ElectionBallot> {
  const pause = createPause(SLICE_MS);
  const writer = new BodyWriter();
  const contests: BallotContest[] = [];
  for (const contest of stored) {
    if (contests.length > 0) writer.text(',');
    contests.push(packContest(contest, writer));
    await pause();
  }
  const { pieces, length } = writer.finish();
  const text = copyPieces(pieces, length);
  const digests: Buffer[] = [];
  for (const { start, end } of contests) {
    digests.push(hash('sha1', text.subarray(start, end), 'buffer'));
    await pause();
  }
  return {
    election,
    head: encodeTexts([`${record.slice(0, -1)},"contests":[`]),
    text,
    digests: Buffer.concat(digests),
    contests,
    contestsById: new Map(contests.map((contest) => [contest.id, contest])),
    endorsers: new Map(),
  };
}

/**
 * Replaces the picks of contests by those that were loaded.
 *
 * @param contests the contests of which all picks were loaded; all of the election by default
 */
export async function replacePicks(
  ballot: ElectionBallot,
  { picks, endorsers }: Pick<StoredBallotPicks, 'picks' | 'endorsers'>,
  contests: Iterable<number> = ballot.contestsById.keys(),
): Promise<void> {
  const pause = createPause(SLICE_MS);
  for (const { record, ...endorser } of endorsers)
    ballot.endorsers.set(endorser.id, { ...endorser, opening: encodeTexts([`,{"endorser":${record},`]) });
  const loaded = new Map(picks.map((each) => [each.contestId, each]));
  for (const id of contests) {
    const contest = ballot.contestsById.get(id);
    const stored = loaded.get(id);
    if (contest) contest.picks = stored ? packPicks(stored) : null;
    await pause();
  }
}

/** The approximate memory of a ballot, in bytes. */
export function measureBallot({ text, digests, contests, endorsers }: ElectionBallot): number {
  const ofContests = contests.map(
    ({ rules, picks }) =>
      CONTEST_BYTES +
      CHOICE_BYTES * rules.choices.length +
      (picks ? picks.records.length + picks.facts.byteLength : 0),
  );
  const ofEndorsers = [...endorsers.values()].map(({ opening }) => ENDORSER_BYTES + opening.length);
  return [text.length, digests.length, ...ofContests, ...ofEndorsers].reduce((sum, bytes) => sum + bytes, 0);
}

function packContest(
  { id, level, kind, record, rules, choices }: StoredContest,
  writer: BodyWriter,
): BallotContest {
  const start = writer.length;
  writer.text(`${record.slice(0, -1)},"choices":[`);
  const head = writer.length;
  const records = new Map(linesOf(choices).map((line, index) => [rules.choices[index]?.id, line]));
  const places = new Map<number, [number, number]>();
  const { order, recommendation } = decide({ ...rules, picks: [] });
  for (const [index, { id: choice, ...counts }] of order.entries()) {
    if (index > 0) writer.text(',');
    const from = writer.length;
    writer.text(records.get(choice)?.slice(0, -1) ?? '');
    places.set(choice, [from, writer.length]);
    writer.text(`,"endorsed_by":[${endOfChoice(counts)}`);
  }
  writer.text(endOfContest(recommendation));
  const ranges = rules.choices.flatMap((choice) => places.get(choice.id) ?? [0, 0]);
  return {
    ...{ id, level, kind, rules, start, head },
    choices: Int32Array.from(ranges),
    end: writer.length,
    picks: null,
  };
}

function packPicks({ facts, records }: StoredPicks): BallotPicks {
  const texts = linesOf(records).map((record) => escapeLineBreaks(record.slice(1)));
  let end = 0;
  const numbers = texts.flatMap((text, index) => {
    const [endorser = 0, choice = 0, rank = null] = facts[index] ?? [];
    end += Buffer.byteLength(text);
    return [endorser, choice, rank ?? 0, end];
  });
  return { facts: Int32Array.from(numbers), records: encodeTexts(texts), decision: null };
}

/** The JSON after the endorsements of a choice. */
export function endOfChoice({
  endorsement_count,
  first_choice_count,
}: {
  endorsement_count: number;
  first_choice_count: number | null;
}): string {
  const firsts = first_choice_count === null ? '' : `,"first_choice_count":${first_choice_count}`;
  return `],"endorsement_count":${endorsement_count}${firsts}}`;
}

/** The JSON after the choices of a contest. */
export const endOfContest = (recommendation: object): string =>
  `],"recommendation":${JSON.stringify(recommendation)}}`;
