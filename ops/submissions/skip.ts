import type { Origin } from '../../administration/rejections/name.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';
import type { Brokers } from '../../service/brokers.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { recordAudit } from '../../store/accounts/audit-log.ts';
import { lockStreamHead, timeAfter } from '../../store/stream/change-log.ts';
import {
  advanceConsumerOffsets,
  loadConsumerOffsets,
  lockConsumerOffsets,
} from '../../store/stream/consumer-offsets.ts';
import { addPendingRejections } from '../../store/stream/pending-rejections.ts';
import { keepReasons } from '../../store/stream/rejected-submissions.ts';
import type { OpsConfig } from '../config.ts';
import { currentActor, inOneTransaction, withDatabase } from '../database.ts';

/** A waiting submission, or an unreadable batch of them, as it will be rejected. */
interface Waiting extends Pick<Rejection, 'offset' | 'last_offset' | 'value'> {
  key: Buffer | null;
  /** The time of its append, in milliseconds since 1970. */
  appendedAt: number;
}

/**
 * Rejects the next submission of a partition unread, so that a submission can no longer stop the consumers for an
 * unforeseen reason (INV-14). Running consumers notice the moved offset and continue from there.
 *
 * @throws OperatorError if the submission is not the next one of its partition, if another process applies it
 * meanwhile, or if the topic has no such partition
 */
export async function skipSubmission(config: OpsConfig, origin: Origin, reason: string): Promise<void> {
  const { brokers, topicPrefix, databaseUrl } = config;
  const { submissions: topic } = topicNames(topicPrefix);
  const { partition, offset } = origin;
  const offsets = await withDatabase(databaseUrl, 'ops', (client) => loadConsumerOffsets(client, topic));
  const stored = offsets.get(partition) ?? 0;
  // Before the lock: all other writers of the stream would wait for Kafka's answer.
  const waiting = await findNext({ brokers, topic }, partition, stored);
  if (!waiting) {
    throw new OperatorError(`No submission of partition ${partition} waits, so there is none to skip.`);
  }
  if (waiting.offset !== offset) {
    throw new OperatorError(
      `${partition}/${offset} is not the next submission to apply; that is ${partition}/${waiting.offset}. Nothing was skipped.`,
    );
  }
  await inOneTransaction(databaseUrl, async (client) => {
    const head = await lockStreamHead(client);
    const locked = await lockConsumerOffsets(client, topic, [partition]);
    if (locked.get(partition) !== stored) {
      throw new OperatorError(
        `Another process has applied submissions of partition ${partition} meanwhile. Nothing was skipped. Run the command ` +
          `again if ${partition}/${offset} still waits.`,
      );
    }
    const { key, appendedAt, ...rejected } = waiting;
    const value = rejectionCodec.encode({
      ...{ code: 'skipped', message: reason, topic, partition, truncated: null },
      ...rejected,
      rejected_at: timeAfter(head),
    });
    await addPendingRejections(client, [{ key: key ?? Buffer.alloc(0), value }]);
    await keepReasons(client, [
      { partition, offset, lastOffset: waiting.last_offset, code: 'skipped', message: reason },
    ]);
    const to = (waiting.last_offset ?? offset) + 1;
    await advanceConsumerOffsets(client, topic, [{ partition, from: stored, to, appendedAt }]);
    const subject = `submission ${partition}/${offset}`;
    await recordAudit(client, currentActor(), {
      action: 'submission.skipped',
      subject,
      details: { topic, reason },
    });
  });
}

/** The first submission from an offset on, without aborted ones; undefined if there is none. */
async function findNext(
  { brokers, topic }: { brokers: Brokers; topic: string },
  partition: number,
  from: number,
): Promise<Waiting | undefined> {
  const reader = new TopicReader({ brokers, topic, clientId: 'ballot-endorsements-ops', committed: true });
  try {
    const sources = await reader.sources();
    if (sources[partition] === undefined) {
      throw new OperatorError(
        `${topic} has no partition ${partition}; its partitions are 0 to ${sources.length - 1}.`,
      );
    }
    for (let offset = from; ; ) {
      const limits = { maxWaitMs: 0, partitionMaxBytes: 1024 * 1024 };
      const read = await reader.fetchFromLeader(partition, offset, limits);
      if (!read) return undefined;
      const [record] = read.records;
      const [batch] = read.unreadable;
      if (batch && (!record || batch.firstOffset < record.offset)) {
        const { firstOffset: first, lastOffset: last, newestAt: appendedAt, bytes: value } = batch;
        return { offset: first, last_offset: last, key: null, value, appendedAt };
      }
      if (record) {
        const { offset: at, key, value, timestamp: appendedAt } = record;
        return { offset: at, last_offset: null, key, value, appendedAt };
      }
      if (read.atEnd) return undefined;
      offset = read.nextOffset;
    }
  } finally {
    await reader.close();
  }
}
