/** Decides submissions upon what the store holds, and writes the effects and their changes. */
import type { ClientBase } from 'pg';
import {
  type Ballot,
  type BatchChange,
  decideBatch,
  type HeldPosition,
  positionKey,
} from '../../domain/decide-batch.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import type { Submission, SubmittedPick } from '../../schemas/submission.ts';
import { currentTraceparent } from '../../service/tracing.ts';
import { announcePositions } from '../../store/endorsements/announce.ts';
import {
  deleteEndorsements,
  type EndorsementRow,
  loadPicks,
  reserveEndorsementIds,
  saveEndorsements,
} from '../../store/endorsements/held-picks.ts';
import { loadContests, loadEndorsers } from '../../store/endorsements/references.ts';
import { appendChanges, lockStreamHead, type NewChange, timeAfter } from '../../store/stream/change-log.ts';
import type { Entry } from './entry.ts';

/** An entry with its partition. */
export interface Located {
  partition: number;
  entry: Entry;
}

/** An entry that is not applied, and the reason. */
export interface Refused extends Located {
  refusal: Refusal;
}

export interface Written {
  changes: number;
  refused: Refused[];
}

/** Writes the effects of all entries that are not refused, or fails and leaves the transaction unusable. */
export type Write = (client: ClientBase, ballot: Ballot, located: readonly Located[]) => Promise<Written>;

function selectWellFormed(located: readonly Located[]): Submission[] {
  return located
    .map(({ entry }) => entry.submission)
    .filter((submission): submission is Submission => !('code' in submission));
}

/** The part of the catalogue that entries refer to. It stays as it is while the caller holds the stream's lock. */
export async function loadBallot(client: ClientBase, located: readonly Located[]): Promise<Ballot> {
  const submissions = selectWellFormed(located);
  const storable = (text: string) => !text.includes('\0');
  const endorsers = [...new Set(submissions.map((submission) => submission.endorser))].filter(storable);
  const contests = [...new Set(submissions.map((submission) => submission.contest))].filter(storable);
  return {
    endorsers: await loadEndorsers(client, endorsers),
    contests: await loadContests(client, contests),
  };
}

/** Endorsement ids by endorser id and choice id, kept up to date while changes are numbered. */
class EndorsementIds {
  readonly #ids = new Map<string, number>();

  get(endorserId: number, choiceId: number): number | undefined {
    return this.#ids.get(`${endorserId} ${choiceId}`);
  }

  set(endorserId: number, choiceId: number, id: number): void {
    this.#ids.set(`${endorserId} ${choiceId}`, id);
  }
}

interface HeldPicks {
  ids: EndorsementIds;
  positions: Map<string, Map<string, SubmittedPick>>;
}

/** A position that a submission names. */
interface NamedPosition {
  endorser: ChangeBody['endorser'];
  contestKey: string;
  /** The ids of the endorser and the contest. */
  pair: [number, number];
}

/** The positions that submissions name, each once, by the ids of endorser and contest. Unknown ones are left out. */
function findNamed(ballot: Ballot, submissions: Submission[]): Map<string, NamedPosition> {
  const named = new Map<string, NamedPosition>();
  for (const submission of submissions) {
    const endorser = ballot.endorsers.get(submission.endorser);
    const contest = ballot.contests.get(submission.contest);
    if (!endorser || !contest) continue;
    const pair: [number, number] = [endorser.id, contest.contest.id];
    named.set(pair.join(' '), { endorser, contestKey: submission.contest, pair });
  }
  return named;
}

async function loadHeld(
  client: ClientBase,
  ballot: Ballot,
  named: Map<string, NamedPosition>,
): Promise<HeldPicks> {
  const held: HeldPicks = { ids: new EndorsementIds(), positions: new Map() };
  const pairs = [...named.values()].map(({ pair }) => pair);
  for (const { endorsementId, endorserId, contestId, pick } of await loadPicks(client, pairs)) {
    const position = named.get(`${endorserId} ${contestId}`);
    if (!position) continue;
    const choice = ballot.contests.get(position.contestKey)?.choices.get(pick.choice);
    if (!choice) continue;
    held.ids.set(endorserId, choice.id, endorsementId);
    const key = positionKey(position.endorser.slug, position.contestKey);
    const picks = held.positions.get(key) ?? new Map<string, SubmittedPick>();
    held.positions.set(key, picks.set(pick.choice, pick));
  }
  return held;
}

/** Gives every change its endorsement's id, fresh ones to what is created, and makes the bodies of the events. */
async function numberChanges(
  client: ClientBase,
  changes: BatchChange[],
  ids: EndorsementIds,
  located: readonly Located[],
): Promise<{ numbered: NewChange[]; gone: number[] }> {
  const created = changes.filter((change) => change.type === 'created').length;
  const fresh = (await reserveEndorsementIds(client, created)).values();
  const gone: number[] = [];
  // A submission without a trace is followed from here on.
  const ownTrace = currentTraceparent();
  const numbered = changes.map(({ index, type, endorser, contest, choice, pick }): NewChange => {
    if (type === 'created') ids.set(endorser.id, choice.id, fresh.next().value ?? Number.NaN);
    const id = ids.get(endorser.id, choice.id) ?? Number.NaN;
    if (type === 'deleted') gone.push(id);
    const { rank, statement, source_url, published_on } = pick;
    const endorsement = { id, rank, statement, source_url, published_on };
    const { partition, entry } = located[index] as Located;
    return {
      type,
      body: { endorsement, endorser, contest: contest.contest, election: contest.election, choice },
      submission: {
        partition,
        offset: entry.offset,
        submittedAt: entry.submittedAt,
        traceparent: entry.traceparent ?? ownTrace,
      },
    };
  });
  return { numbered, gone };
}

function* endorsementRows(positions: Iterable<HeldPosition>, ids: EndorsementIds): Generator<EndorsementRow> {
  for (const { endorser, contest, picks } of positions) {
    for (const pick of picks.values()) {
      const choiceId = contest.choices.get(pick.choice)?.id;
      const id = choiceId === undefined ? undefined : ids.get(endorser.id, choiceId);
      if (choiceId === undefined || id === undefined) continue;
      const contestId = contest.contest.id;
      yield { id, endorserId: endorser.id, contestId, choiceId, electionId: contest.election.id, pick };
    }
  }
}

export const writeEntries: Write = async (client, ballot, located) => {
  // Read again for every attempt: a savepoint that was rolled back has moved the head back.
  const locked = await lockStreamHead(client);
  const named = findNamed(ballot, selectWellFormed(located));
  const pairs = [...named.values()].map(({ pair }) => pair);
  const head = locked.hasStale ? await announcePositions(client, locked, pairs) : locked;
  const held = await loadHeld(client, ballot, named);
  const submissions = located.map(({ entry }) => entry.submission);
  const { changes, refusals, positions } = decideBatch(ballot, held.positions, submissions);
  const { numbered, gone } = await numberChanges(client, changes, held.ids, located);
  await deleteEndorsements(client, gone);
  const rows = [...endorsementRows(positions.values(), held.ids)];
  // Before the log: these are the statements that a constraint refuses.
  await saveEndorsements(client, rows, new Date(timeAfter(head)));
  await appendChanges(client, head, numbered);
  const refused = [...refusals].map(([index, refusal]) => ({ ...(located[index] as Located), refusal }));
  return { changes: changes.length, refused };
};
