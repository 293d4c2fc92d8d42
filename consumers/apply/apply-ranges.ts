/*
 * One transaction of apply: submissions' effects, changes and rejections, and the offsets of their partitions
 * (INV-8).
 */
import type { ClientBase } from 'pg';
import { loadCatalogueVersion } from '../../store/endorsements/catalogue-version.ts';
import { lockStreamHead, type StreamHead, timeAfter } from '../../store/stream/change-log.ts';
import { advanceConsumerOffsets, lockConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { keepReasons } from '../../store/stream/rejected-submissions.ts';
import { BallotCache } from './ballot-cache.ts';
import { createRejectionRecord } from './rejection.ts';
import { dropApplied, type SubmissionRange } from './submission-record.ts';
import { type Refused, type Write, writeSubmissions } from './write-submissions.ts';

/** The result of a transaction. */
export interface Applied {
  /** Newly applied submissions, including rejected ones. */
  submissions: number;
  changes: number;
  rejected: number;
}

/** A range begins after the stored offset, so that submissions would be lost. */
export class SubmissionGapError extends Error {
  override name = 'SubmissionGapError';

  constructor(topic: string, { partition, from }: SubmissionRange, stored: number) {
    super(`${topic}/${partition} is applied up to ${stored}, but the range begins at ${from}.`);
  }
}

/**
 * Applies ranges of several partitions in one transaction. Skips submissions that were applied before.
 *
 * @param client in pipeline mode, which sends statements without waiting for answers
 * @param ranges at most one range of each partition
 * @param options.write `writeSubmissions`, or a variant that also handles records that the database refuses
 * @param options.cache data from the caller's earlier transactions
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
    // Sent together. The stream's lock comes first, which makes this the only writer and rules out deadlocks.
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
    // On a lost connection this fails too, and the first error says more.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Commits without waiting for the statements before. If one of them fails, the database rolls back instead of
 * committing. If a statement cannot be sent, it fails within a turn of the event loop, and this does not
 * commit.
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
  // After an error, the database refuses the later statements: the first error has the reason.
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
  // Not after a change of this transaction, so that a retry treats the change as newer.
  const rejectedAt = timeAfter(head);
  const records = refused.map(({ partition, record, refusal }) =>
    createRejectionRecord(record, refusal, { topic, partition }, rejectedAt),
  );
  const reasons = refused.map(({ partition, record: { offset, lastOffset }, refusal }) => ({
    ...{ partition, offset, lastOffset, code: refusal.code, message: refusal.message },
  }));
  await Promise.all([addPendingRejections(client, records), keepReasons(client, reasons)]);
}
