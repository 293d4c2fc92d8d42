/*
 * One transaction of apply: the effects of submissions, their changes, their rejections and the offsets of all partitions
 * that they came from (INV-8).
 */
import type { ClientBase } from 'pg';
import { loadCatalogueVersion } from '../../store/endorsements/catalogue-version.ts';
import { lockStreamHead, type StreamHead, timeAfter } from '../../store/stream/change-log.ts';
import { advanceConsumerOffsets, lockConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { BallotCache } from './ballot-cache.ts';
import { createRejectionRecord } from './rejection.ts';
import { dropApplied, type SubmissionRange } from './submission-record.ts';
import { type Refused, type Write, writeSubmissions } from './write-submissions.ts';

/** The result of a transaction. */
export interface Applied {
  /** Submissions that had not been applied before, rejected ones included. */
  submissions: number;
  changes: number;
  rejected: number;
}

/** A range begins after the stored offset: the submissions between would be lost. */
export class SubmissionGapError extends Error {
  override name = 'SubmissionGapError';

  constructor(topic: string, { partition, from }: SubmissionRange, stored: number) {
    super(`${topic}/${partition} is applied up to ${stored}, but the range begins at ${from}.`);
  }
}

/**
 * Applies ranges of several partitions in one transaction. Submissions that were applied before are passed over.
 *
 * @param client in pipeline mode, which sends a statement before the one before it is answered
 * @param ranges a range of each partition at most
 * @param options.write `writeSubmissions`, or the way that also takes records which the database refuses
 * @param options.cache what earlier transactions of the caller have loaded
 * @throws SubmissionGapError if a range begins after the stored offset; nothing is applied then
 */
export async function applyRanges(
  client: ClientBase,
  topic: string,
  ranges: readonly SubmissionRange[],
  { write = writeSubmissions, cache = new BallotCache() }: { write?: Write; cache?: BallotCache } = {},
): Promise<Applied> {
  const partitions = ranges.map(({ partition }) => partition);
  try {
    // Sent together. The stream's lock comes first: it makes this the only writer, and no later lock can wait in a circle.
    const [, head, catalogueVersion, offsets] = await Promise.all([
      client.query('BEGIN'),
      lockStreamHead(client),
      loadCatalogueVersion(client),
      lockConsumerOffsets(client, topic, partitions),
    ]);
    cache.invalidate(head, catalogueVersion);
    const fresh = ranges.map((range) => {
      const stored = offsets.get(range.partition) ?? 0;
      if (range.from > stored) throw new SubmissionGapError(topic, range, stored);
      return dropApplied(range, stored);
    });
    const located = fresh.flatMap(({ partition, records }) =>
      records.map((record) => ({ partition, record })),
    );
    const { changes, refused, executed } =
      located.length > 0
        ? await write({ client, head, cache }, located)
        : { changes: 0, refused: [], executed: Promise.resolve() };
    await commitAfter(client, [
      executed,
      storeRejections(client, topic, head, refused),
      advanceConsumerOffsets(client, topic, fresh),
    ]);
    cache.noteCommitted({ epoch: head.epoch, lastSequence: head.lastSequence + changes });
    return { submissions: located.length, changes, rejected: refused.length };
  } catch (error) {
    cache.clear();
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
  const records = refused.map(({ partition, record, refusal }) =>
    createRejectionRecord(record, refusal, { topic, partition }, rejectedAt),
  );
  await addPendingRejections(client, records);
}
