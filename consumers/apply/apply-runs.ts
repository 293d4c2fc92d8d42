/*
 * One transaction of apply: the effects of submissions, their changes, their rejections and the offsets of all partitions
 * that they came from (INV-8).
 */
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
import {
  deleteEndorsements,
  type EndorsementRow,
  loadPicks,
  reserveEndorsementIds,
  saveEndorsements,
} from '../../store/endorsements/held-picks.ts';
import { loadContests, loadEndorsers } from '../../store/endorsements/references.ts';
import { appendChanges, lockStreamHead, type NewChange } from '../../store/stream/change-log.ts';
import { advanceConsumerOffsets, lockConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { dropApplied, type Entry, type Run } from './entry.ts';
import { createRejectionRecord } from './rejection.ts';

/** The result of a transaction. */
export interface Applied {
  /** Submissions that had not been applied before, rejected ones included. */
  submissions: number;
  changes: number;
  rejected: number;
}

/** A run begins after the stored offset: the submissions between would be lost. */
export class SubmissionGapError extends Error {
  override name = 'SubmissionGapError';

  constructor(topic: string, { partition, from }: Run, stored: number) {
    super(`${topic}/${partition} is applied up to ${stored}, but the run begins at ${from}.`);
  }
}

async function loadBallot(client: ClientBase, submissions: Submission[]): Promise<Ballot> {
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

async function loadHeld(client: ClientBase, ballot: Ballot, submissions: Submission[]): Promise<HeldPicks> {
  const named = new Map<string, { endorser: ChangeBody['endorser']; contestKey: string }>();
  const pairs = new Map<string, [number, number]>();
  for (const submission of submissions) {
    const endorser = ballot.endorsers.get(submission.endorser);
    const contest = ballot.contests.get(submission.contest);
    if (!endorser || !contest) continue;
    const ids = `${endorser.id} ${contest.contest.id}`;
    pairs.set(ids, [endorser.id, contest.contest.id]);
    named.set(ids, { endorser, contestKey: submission.contest });
  }
  const held: HeldPicks = { ids: new EndorsementIds(), positions: new Map() };
  for (const { endorsementId, endorserId, contestId, pick } of await loadPicks(client, [...pairs.values()])) {
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
): Promise<{ numbered: NewChange[]; gone: number[] }> {
  const created = changes.filter((change) => change.type === 'created').length;
  const fresh = (await reserveEndorsementIds(client, created)).values();
  const gone: number[] = [];
  const numbered = changes.map(({ type, endorser, contest, choice, pick }): NewChange => {
    if (type === 'created') ids.set(endorser.id, choice.id, fresh.next().value ?? Number.NaN);
    const id = ids.get(endorser.id, choice.id) ?? Number.NaN;
    if (type === 'deleted') gone.push(id);
    const { rank, statement, source_url, published_on } = pick;
    const endorsement = { id, rank, statement, source_url, published_on };
    return {
      type,
      body: { endorsement, endorser, contest: contest.contest, election: contest.election, choice },
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

/** An entry with its partition. */
interface Located {
  partition: number;
  entry: Entry;
}

/** Decides entries upon what the store holds, and writes the effects. */
async function writeEntries(
  client: ClientBase,
  topic: string,
  located: readonly Located[],
): Promise<Pick<Applied, 'changes' | 'rejected'>> {
  // Read again for every attempt: a savepoint that was rolled back has moved the head back.
  const head = await lockStreamHead(client);
  const submissions = located.map(({ entry }) => entry.submission);
  const wellFormed = submissions.filter((submission): submission is Submission => !('code' in submission));
  const ballot = await loadBallot(client, wellFormed);
  const held = await loadHeld(client, ballot, wellFormed);
  const { changes, refusals, positions } = decideBatch(ballot, held.positions, submissions);
  const { numbered, gone } = await numberChanges(client, changes, held.ids);
  const occurredAt = await appendChanges(client, head, numbered);
  await deleteEndorsements(client, gone);
  await saveEndorsements(client, [...endorsementRows(positions.values(), held.ids)], new Date(occurredAt));
  const rejections = [...refusals].flatMap(([index, refusal]) => {
    const { entry, partition } = located[index] as Located;
    return createRejectionRecord(entry, refusal, { topic, partition }, occurredAt);
  });
  if (rejections.length > 0) await addPendingRejections(client, rejections);
  return { changes: changes.length, rejected: rejections.length };
}

/** Writes the effects of all entries, or of none. */
type Write = (
  client: ClientBase,
  topic: string,
  located: readonly Located[],
) => ReturnType<typeof writeEntries>;

/**
 * Applies runs of several partitions in one transaction. Submissions that were applied before are passed over.
 *
 * @param runs a run of each partition at most
 * @throws SubmissionGapError if a run begins after the stored offset; nothing is applied then
 */
export async function applyRuns(
  client: ClientBase,
  topic: string,
  runs: readonly Run[],
  write: Write = writeEntries,
): Promise<Applied> {
  await client.query('BEGIN');
  try {
    // The stream's lock comes first: it makes this the only writer, and no later lock can wait in a circle.
    await lockStreamHead(client);
    const offsets = await lockConsumerOffsets(
      client,
      topic,
      runs.map(({ partition }) => partition),
    );
    const fresh = runs.map((run) => {
      const stored = offsets.get(run.partition) ?? 0;
      if (run.from > stored) throw new SubmissionGapError(topic, run, stored);
      return dropApplied(run, stored);
    });
    const located = fresh.flatMap(({ partition, entries }) => entries.map((entry) => ({ partition, entry })));
    const written = located.length > 0 ? await write(client, topic, located) : { changes: 0, rejected: 0 };
    await advanceConsumerOffsets(client, topic, fresh);
    await client.query('COMMIT');
    return { submissions: located.length, ...written };
  } catch (error) {
    // On a connection that is lost this fails too, and the first error says more.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Writes entries one half after the other, down to the single ones at fault, which are rejected instead. For a batch
 * that the database refuses as a whole (INV-14).
 *
 * @param refuse the refusal for an error of a single entry, or undefined if the error is not the entry's
 */
export function bisect(refuse: (error: unknown) => Refusal | undefined): Write {
  const write: Write = async (client, topic, located) => {
    await client.query('SAVEPOINT attempt');
    try {
      const written = await writeEntries(client, topic, located);
      await client.query('RELEASE SAVEPOINT attempt');
      return written;
    } catch (error) {
      const refusal = refuse(error);
      if (!refusal) throw error;
      await client.query('ROLLBACK TO SAVEPOINT attempt');
      if (located.length === 1) return writeEntries(client, topic, located.map(refuseEntry(refusal)));
    }
    const middle = Math.ceil(located.length / 2);
    const first = await write(client, topic, located.slice(0, middle));
    const second = await write(client, topic, located.slice(middle));
    return { changes: first.changes + second.changes, rejected: first.rejected + second.rejected };
  };
  return write;
}

const refuseEntry =
  (refusal: Refusal) =>
  ({ partition, entry }: Located): Located => ({ partition, entry: { ...entry, submission: refusal } });
