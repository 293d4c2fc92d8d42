import type { Admin, Consumer, ConsumerRunConfig, EachBatchPayload, Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import { GroupMember } from '../../kafka/group-member.ts';
import { createRejectedProducer } from '../../kafka/rejected-producer.ts';
import type { TopicNames } from '../../kafka/topic-names.ts';
import type { Service } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { loadConsumerOffsets, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import { type AppliedBatch, applyBatch, type SubmissionBatch, SubmissionGapError } from './apply-batch.ts';
import { appliedChanges, appliedSubmissions, rejectedSubmissions } from './metrics.ts';

/** Enough to make a transaction worth its round trips, and few enough to hold the stream's lock for moments. */
const MAX_MESSAGES_PER_TRANSACTION = 1000;
/** How long a failed transaction waits before it is tried again: at first, and at most, in milliseconds. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 3000;

export interface ApplyConsumerOptions {
  kafka: Kafka;
  pool: Pool;
  topics: TopicNames;
  groupId: string;
  now: () => Date;
  log: Logger;
}

/**
 * Consumes the submissions topic into Postgres. The store's position is the truth about what is applied (INV-8);
 * the group's committed offsets follow it and are there for lag tools.
 *
 * It is ready while it is a member of its group and the last transaction that it tried succeeded.
 */
export async function startApplyConsumer(options: ApplyConsumerOptions): Promise<Service> {
  const { kafka, topics, groupId } = options;
  const member = new GroupMember(kafka, groupId);
  const { consumer } = member;
  const admin = kafka.admin();
  const rejected = createRejectedProducer(kafka, topics.rejected);
  await Promise.all([consumer.connect(), admin.connect(), rejected.connect()]);
  await consumer.subscribe({ topic: topics.submissions, fromBeginning: true });
  const partitions = new PartitionApplier(options, consumer, admin, rejected.send);
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const assigned = payload.memberAssignment[topics.submissions] ?? [];
    partitions
      .takeOver(assigned)
      .catch((error) => options.log.warn({ error }, 'could not look up the stored positions'));
  });
  const work: ConsumerRunConfig = {
    autoCommit: true,
    autoCommitInterval: 1000,
    eachBatchAutoResolve: false,
    eachBatch: (payload) => partitions.applyEach(payload),
  };
  await member.start(work, options.log);
  return {
    isReady: () => member.isMember && !partitions.isFailing,
    async stop() {
      partitions.stop();
      await member.stop();
      await Promise.all([admin.disconnect(), rejected.disconnect()]);
    },
  };
}

/** Applies what the group assigns to this process, and finds its place again when Kafka and the store disagree. */
class PartitionApplier {
  readonly #options: ApplyConsumerOptions;
  readonly #consumer: Consumer;
  readonly #admin: Admin;
  readonly #reject: Parameters<typeof applyBatch>[2]['reject'];
  /** By partition: the position that was last sought after a gap. A second gap there is how the log is. */
  readonly #sought = new Map<number, number>();
  /** Partitions of this member whose last transaction failed. */
  readonly #failing = new Set<number>();
  #stopping = false;

  constructor(
    options: ApplyConsumerOptions,
    consumer: Consumer,
    admin: Admin,
    reject: Parameters<typeof applyBatch>[2]['reject'],
  ) {
    this.#options = options;
    this.#consumer = consumer;
    this.#admin = admin;
    this.#reject = reject;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Whether submissions wait because the last transaction failed. */
  get isFailing(): boolean {
    return this.#failing.size > 0;
  }

  async applyEach(payload: EachBatchPayload): Promise<void> {
    const { topic, partition, messages: records } = payload.batch;
    const messages = records.map(({ offset, value }) => ({ offset: Number(offset), value }));
    for (let start = 0; start < messages.length; start += MAX_MESSAGES_PER_TRANSACTION) {
      const part = messages.slice(start, start + MAX_MESSAGES_PER_TRANSACTION);
      const applied = await this.#applyUntilDone({ topic, partition, messages: part, logStart: 0 }, payload);
      if (!applied) return;
      payload.resolveOffset(String(part.at(-1)?.offset));
      await payload.commitOffsetsIfNecessary();
      await payload.heartbeat();
    }
  }

  /** Tries until it is done or no longer ours to do; a store that is away holds nobody but this consumer up. */
  async #applyUntilDone(batch: SubmissionBatch, payload: EachBatchPayload): Promise<boolean> {
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
      if (this.#stopping || !payload.isRunning() || payload.isStale()) return false;
      try {
        this.#count(batch, await this.#apply(batch));
        this.#failing.delete(batch.partition);
        return true;
      } catch (error) {
        if (error instanceof SubmissionGapError) {
          if (await this.#acceptGap(batch, error)) continue;
          return false;
        }
        this.#failing.add(batch.partition);
        this.#options.log.warn(
          { error, topic: batch.topic, partition: batch.partition },
          'submissions could not be applied; trying again',
        );
        await payload.heartbeat();
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        // The next try can take as long again, and the group is to hear of this member in between.
        await payload.heartbeat();
      }
    }
  }

  #apply(batch: SubmissionBatch): Promise<AppliedBatch> {
    return applyBatch(this.#options.pool, batch, { now: this.#options.now, reject: this.#reject });
  }

  #count({ partition }: SubmissionBatch, { applied, changes, rejected }: AppliedBatch): void {
    appliedSubmissions.inc(applied);
    appliedChanges.inc(changes);
    rejectedSubmissions.inc(rejected);
    if (applied > 0)
      this.#options.log.debug({ partition, applied, changes, rejected }, 'applied submissions');
  }

  /**
   * The group's offset ran ahead of the store, as after a restored backup: goes back to where the store is. Where
   * the log begins later than that, or skips offsets by itself (a transaction's marker), the batch may begin there.
   *
   * @returns whether the batch may begin where it does.
   */
  async #acceptGap(batch: SubmissionBatch, { position }: SubmissionGapError): Promise<boolean> {
    const { log } = this.#options;
    const { topic, partition } = batch;
    const offsets = await this.#admin.fetchTopicOffsets(topic);
    const low = Number(offsets.find((entry) => entry.partition === partition)?.low ?? 0);
    const first = batch.messages[0]?.offset ?? 0;
    const target = Math.max(position, low);
    if (target === first || this.#sought.get(partition) === target) {
      if (low > position) {
        log.error({ topic, partition, position, low }, 'submissions expired before they were applied');
      }
      batch.logStart = first;
      return true;
    }
    this.#sought.set(partition, target);
    log.warn({ topic, partition, position, first }, 'reading submissions again from the stored position');
    this.#consumer.seek({ topic, partition, offset: String(target) });
    return false;
  }

  /** Starts newly assigned partitions where the store is. What others have now, they have to apply. */
  async takeOver(partitions: number[]): Promise<void> {
    for (const partition of this.#failing) {
      if (!partitions.includes(partition)) this.#failing.delete(partition);
    }
    await this.#seekToStored(partitions);
  }

  /**
   * Starts partitions where the store is. A position beyond the end of the log means that the topic was made anew: what
   * it holds now has not been applied, so it is read from its beginning.
   */
  async #seekToStored(partitions: number[]): Promise<void> {
    const { pool, topics, log } = this.#options;
    const topic = topics.submissions;
    const stored = await loadConsumerOffsets(pool, topic);
    const offsets = await this.#admin.fetchTopicOffsets(topic);
    for (const partition of partitions) {
      const position = stored.get(partition);
      const bounds = offsets.find((entry) => entry.partition === partition);
      if (position === undefined || !bounds) continue;
      let start = position;
      if (position > Number(bounds.high)) {
        start = Number(bounds.low);
        log.error({ topic, partition, position, high: bounds.high }, 'the submissions topic was made anew');
        await resetConsumerOffset(pool, topic, partition, start);
      }
      // Another member has applied it meanwhile: there is nothing left that could succeed.
      if (start === Number(bounds.high)) this.#failing.delete(partition);
      this.#consumer.seek({ topic, partition, offset: String(start) });
    }
  }
}
