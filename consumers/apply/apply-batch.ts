import type { ClientBase, Pool } from 'pg';
import {
  type Ballot,
  type BatchChange,
  decideBatch,
  type HeldPosition,
  positionKey,
} from '../../domain/decide-batch.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import {
  type Rejection,
  type Submission,
  type SubmittedPick,
  submissionCodec,
} from '../../schemas/submission.ts';
import { sqlStateOf } from '../../store/connection/sql-state.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  deleteEndorsements,
  type EndorsementRow,
  loadPicks,
  reserveEndorsementIds,
  saveEndorsements,
} from '../../store/endorsements/held-picks.ts';
import { loadContests, loadEndorsers } from '../../store/endorsements/references.ts';
import { appendChanges, lockStreamHead, type NewChange } from '../../store/stream/change-log.ts';
import { advanceConsumerOffset, lockConsumerOffset } from '../../store/stream/consumer-offsets.ts';

/** A message of the submissions topic. */
export interface SubmissionMessage {
  offset: number;
  value: Buffer | null;
}

/** Messages of one partition, in order. */
export interface SubmissionBatch {
  topic: string;
  partition: number;
  messages: SubmissionMessage[];
  /** The lowest offset that the partition still has; offsets before it cannot be missed. */
  logStart: number;
}

export interface ApplyOptions {
  now: () => Date;
  /**
   * Hands over what was refused; the batch is not committed before it resolves, so no refusal is lost. The stream's lock
   * is held meanwhile, so it must end within seconds; where it fails, the batch is rolled back for the caller to repeat.
   */
  reject: (rejections: Rejection[]) => Promise<void>;
}

export interface AppliedBatch {
  /** Messages that had not been applied before. */
  applied: number;
  changes: number;
  rejected: number;
}

/** The batch begins after the position that the store holds: messages between would be lost. */
export class SubmissionGapError extends Error {
  override name = 'SubmissionGapError';
  readonly position: number;

  constructor(batch: SubmissionBatch, position: number) {
    super(`${batch.topic}/${batch.partition} is applied up to ${position}, but the batch begins later.`);
    this.position = position;
  }
}

function decodeMessage({ value }: SubmissionMessage): Submission | Refusal {
  try {
    return submissionCodec.decode(value ?? Buffer.alloc(0));
  } catch (error) {
    return { code: 'undecodable', message: error instanceof Error ? error.message : String(error) };
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

async function applyInTransaction(
  client: ClientBase,
  batch: SubmissionBatch,
  { now, reject }: ApplyOptions,
  decode: (message: SubmissionMessage) => Submission | Refusal,
): Promise<AppliedBatch> {
  const { topic, partition, messages, logStart } = batch;
  // The stream's lock comes first: it makes this the only writer, and no later lock can wait in a circle.
  const head = await lockStreamHead(client);
  const position = await lockConsumerOffset(client, topic, partition);
  const fresh = messages.filter((message) => message.offset >= position);
  const first = fresh[0];
  const last = fresh.at(-1);
  if (!first || !last) return { applied: 0, changes: 0, rejected: 0 };
  if (first === messages[0] && first.offset > Math.max(position, logStart)) {
    throw new SubmissionGapError(batch, position);
  }

  const submissions = fresh.map(decode);
  const wellFormed = submissions.filter((submission): submission is Submission => !('code' in submission));
  const ballot = await loadBallot(client, wellFormed);
  const held = await loadHeld(client, ballot, wellFormed);
  const { changes, refusals, positions } = decideBatch(ballot, held.positions, submissions);

  const { numbered, gone } = await numberChanges(client, changes, held.ids);
  const time = now();
  const occurredAt = await appendChanges(client, head, numbered, time);
  await deleteEndorsements(client, gone);
  await saveEndorsements(client, [...endorsementRows(positions.values(), held.ids)], new Date(occurredAt));
  await advanceConsumerOffset(client, topic, partition, { from: position, to: last.offset + 1 });
  await reject(
    [...refusals].flatMap(([index, { code, message }]) => {
      const refused = fresh[index];
      if (!refused) return [];
      const { offset, value } = refused;
      return [
        {
          code,
          message,
          topic,
          partition,
          offset,
          rejected_at: time.getTime(),
          value,
          last_offset: null,
          truncated: null,
        },
      ];
    }),
  );
  return { applied: fresh.length, changes: changes.length, rejected: refusals.size };
}

/** SQLSTATE classes that speak of the data, not of the server: data exception, integrity constraint violation. */
const DATA_ERROR = /^2[23]/;

/**
 * Applies submissions in their order: all effects, their changes and the partition's position in one transaction
 * (INV-8). Messages that were applied before are passed over. What is refused goes to `options.reject` and stops
 * nobody (INV-9).
 *
 * Should the database refuse a batch because of its data, each message is applied by itself, and the one that the
 * database refuses is rejected as `unstorable`.
 *
 * @throws SubmissionGapError when the batch begins beyond the stored position, and nothing of it is applied.
 */
export async function applyBatch(
  pool: Pool,
  batch: SubmissionBatch,
  options: ApplyOptions,
): Promise<AppliedBatch> {
  try {
    return await inTransaction(pool, (client) => applyInTransaction(client, batch, options, decodeMessage));
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === null || !DATA_ERROR.test(state)) throw error;
    if (batch.messages.length === 1) {
      const refusal: Refusal = {
        code: 'unstorable',
        message: `The database refuses it (SQLSTATE ${state}).`,
      };
      return await inTransaction(pool, (client) => applyInTransaction(client, batch, options, () => refusal));
    }
  }
  const total: AppliedBatch = { applied: 0, changes: 0, rejected: 0 };
  for (const message of batch.messages) {
    const one = await applyBatch(pool, { ...batch, messages: [message] }, options);
    total.applied += one.applied;
    total.changes += one.changes;
    total.rejected += one.rejected;
  }
  return total;
}
