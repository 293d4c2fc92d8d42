/*
 * One transaction of apply: the effects of submissions, their changes, their rejections and the offsets of all partitions
 * that they came from (INV-8).
 */
import type { ClientBase } from 'pg';
import { loadCatalogueVersion } from '../../store/endorsements/catalogue-version.ts';
import { lockStreamHead, type StreamHead, timeAfter } from '../../store/stream/change-log.ts';
import { advanceConsumerOffsets, lockConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { dropApplied, type Run } from './entry.ts';
import { Memory } from './memory.ts';
import { createRejectionRecord } from './rejection.ts';
import { type Refused, type Write, writeEntries } from './write-entries.ts';

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

/**
 * Applies runs of several partitions in one transaction. Submissions that were applied before are passed over.
 *
 * @param client in pipeline mode, which sends a statement before the one before it is answered
 * @param runs a run of each partition at most
 * @param options.write `writeEntries`, or the way that also takes entries which the database refuses
 * @param options.memory what the caller's transactions remember of the store
 * @throws SubmissionGapError if a run begins after the stored offset; nothing is applied then
 */
export async function applyRuns(
  client: ClientBase,
  topic: string,
  runs: readonly Run[],
  { write = writeEntries, memory = new Memory() }: { write?: Write; memory?: Memory } = {},
): Promise<Applied> {
  const partitions = runs.map(({ partition }) => partition);
  try {
    // Sent together. The stream's lock comes first: it makes this the only writer, and no later lock can wait in a circle.
    const [, head, catalogueVersion, offsets] = await Promise.all([
      client.query('BEGIN'),
      lockStreamHead(client),
      loadCatalogueVersion(client),
      lockConsumerOffsets(client, topic, partitions),
    ]);
    memory.recall(head, catalogueVersion);
    const fresh = runs.map((run) => {
      const stored = offsets.get(run.partition) ?? 0;
      if (run.from > stored) throw new SubmissionGapError(topic, run, stored);
      return dropApplied(run, stored);
    });
    const located = fresh.flatMap(({ partition, entries }) => entries.map((entry) => ({ partition, entry })));
    const { changes, refused, executed } =
      located.length > 0
        ? await write({ client, head, memory }, located)
        : { changes: 0, refused: [], executed: Promise.resolve() };
    await commitAfter(client, [
      executed,
      storeRejections(client, topic, head, refused),
      advanceConsumerOffsets(client, topic, fresh),
    ]);
    memory.noteCommitted({ epoch: head.epoch, lastSequence: head.lastSequence + changes });
    return { submissions: located.length, changes, rejected: refused.length };
  } catch (error) {
    memory.forget();
    // On a connection that is lost this fails too, and the first error says more.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Commits without waiting for the statements before. If the database fails at one of them, it rolls back instead of
 * committing. A statement that cannot even be sent has failed a turn of the event loop later, and nothing is committed.
 *
 * @throws the first error of the statements
 */
async function commitAfter(client: ClientBase, statements: readonly Promise<unknown>[]): Promise<void> {
  let hasFailed = false;
  const executed = Promise.allSettled(
    statements.map((statement) =>
      statement.catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    ),
  );
  await new Promise(setImmediate);
  const committing = hasFailed ? null : client.query('COMMIT');
  committing?.catch(() => {});
  // After an error, the database refuses the statements that follow: the first one says why.
  const failure = (await executed).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  const answer = await committing;
  if (answer?.command !== 'COMMIT') throw new Error(`The database answered COMMIT with ${answer?.command}.`);
}

async function storeRejections(
  client: ClientBase,
  topic: string,
  head: StreamHead,
  refused: readonly Refused[],
): Promise<void> {
  if (refused.length === 0) return;
  // Never after a change of this transaction, so that a retry takes that change for the newer one.
  const rejectedAt = timeAfter(head);
  const records = refused.map(({ partition, entry, refusal }) =>
    createRejectionRecord(entry, refusal, { topic, partition }, rejectedAt),
  );
  await addPendingRejections(client, records);
}
