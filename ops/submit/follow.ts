import type { ClientBase } from 'pg';
import { readRejections } from '../../administration/rejections/read-rejections.ts';
import { topicExists } from '../../kafka/connection/admin.ts';
import { identifyTopic, loadBounds } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';
import { systemClock } from '../../service/clock.ts';
import { classifyFailure } from '../../service/failure.ts';
import { describeMissingTopic } from '../../service/missing-topic.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readPages } from '../../service/read-pages.ts';
import { countChangingSubmissions } from '../../store/stream/change-submissions.ts';
import { loadOffsetsOf } from '../../store/stream/consumer-offsets.ts';
import { loadPendingRejections } from '../../store/stream/pending-rejections.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';
import type { OpsConfig } from '../config.ts';
import { withDatabase } from '../database.ts';
import { count } from '../table.ts';
import { RejectionTally } from './rejection-tally.ts';
import type { SentOffsets } from './sent-offsets.ts';
import { StallWatch } from './stall-watch.ts';

/** The interval between looks at the stored offsets, in milliseconds. */
const LOOK_MS = 200;
/** The number of rejections loaded from Postgres at a time. */
const PAGE = { records: 1000, bytes: 16 * 1024 * 1024 };

/** The ends of the change log and of the rejected topic before sending. */
export interface FollowStart {
  sequence: number;
  rejectedEnds: ReadonlyMap<number, number>;
}

/** The outcome of submissions. Those that are neither changed nor rejected changed nothing. */
export interface Outcome {
  applied: number;
  changed: number;
  rejected: number;
  /** Counts each rejected submission, or several together that could not be read. */
  rejections: RejectionTally;
}

/**
 * Notes the ends of the change log and of the rejected topic. Call this before sending.
 *
 * @throws OperatorError if a server cannot be used or the rejected topic does not exist
 */
export async function prepareToFollow({
  brokers,
  databaseUrl,
  topicPrefix,
}: OpsConfig): Promise<FollowStart> {
  const { logged: sequence } = await withDatabase(databaseUrl, 'ops', loadRelayProgress);
  const topic = topicNames(topicPrefix).rejected;
  if (!(await topicExists(brokers, topic, 'Read'))) {
    throw new OperatorError(`${describeMissingTopic(topic)}. Nothing was sent.`);
  }
  const bounds = await loadBounds({ brokers, topic, clientId: 'ballot-endorsements-ops' });
  return { sequence, rejectedEnds: new Map(bounds.map(({ end }, partition) => [partition, end])) };
}

export interface FollowOptions {
  start: FollowStart;
  sent: SentOffsets;
  /** Ends the wait: the time is up, or the operator has pressed Ctrl-C. */
  signal: AbortSignal;
  /** Called with the number of newly applied submissions. */
  onProgress(count: number): void;
  /** Called while consumers apply nothing. */
  onStall(): void;
}

/**
 * Waits until everything is applied or the signal aborts, and finds the outcome. It is exact, because a submission's
 * offset, changes and rejections are committed together (INV-8).
 *
 * @throws OperatorError if a server fails meanwhile
 */
export async function followSubmissions(config: OpsConfig, options: FollowOptions): Promise<Outcome> {
  const { brokers } = config;
  const topic = topicNames(config.topicPrefix).submissions;
  try {
    const { topicId } = await identifyTopic({ brokers, topic, clientId: 'ballot-endorsements-ops' });
    return await withDatabase(config.databaseUrl, 'submit-wait', async (client) => {
      const reached = await waitUntilApplied(client, { topic, topicId }, options);
      return loadOutcome(client, config, options, reached);
    });
  } catch (error) {
    const failure = classifyFailure(error);
    if (failure !== 'database_away' && failure !== 'kafka_away') throw error;
    const server = failure === 'database_away' ? 'Postgres' : 'Kafka';
    throw new OperatorError(
      `${count(options.sent.count)} submissions were sent, but ${server} failed before their outcome was ` +
        `known (${(error as Error).message}). "npm run ops -- lag" shows how many wait.`,
      { cause: error },
    );
  }
}

/** @returns the offset up to which submissions are applied, by partition */
async function waitUntilApplied(
  client: ClientBase,
  place: { topic: string; topicId: string },
  { sent, signal, onProgress, onStall }: FollowOptions,
): Promise<Map<number, number>> {
  let applied = 0;
  const watch = new StallWatch(performance.now());
  for (;;) {
    const offsets = await loadOffsetsOf(client, place);
    const now = sent.countApplied(offsets);
    onProgress(now - applied);
    applied = now;
    if (applied === sent.count || signal.aborted) return offsets;
    if (watch.notices(offsets, performance.now())) onStall();
    await systemClock.wait(LOOK_MS, signal);
  }
}

async function loadOutcome(
  client: ClientBase,
  { brokers, topicPrefix }: OpsConfig,
  { start, sent }: FollowOptions,
  reached: ReadonlyMap<number, number>,
): Promise<Outcome> {
  const { submissions, rejected: topic } = topicNames(topicPrefix);
  const isApplied = ({ partition, offset }: Rejection) => offset < (reached.get(partition) ?? 0);
  const applied = sent.ranges.map((range) => ({
    ...range,
    to: Math.min(range.to, reached.get(range.partition) ?? 0),
  }));
  const changed = await countChangingSubmissions(client, start.sequence, applied);
  const rejections = new RejectionTally();
  let rejected = 0;
  const note = (rejection: Rejection) => {
    const { partition, offset, last_offset } = rejection;
    const ours = sent.countBetween(partition, offset, last_offset ?? offset);
    if (rejection.topic !== submissions || ours === 0 || !isApplied(rejection)) return;
    if (rejections.add(rejection)) rejected += ours;
  };
  // The table first: a rejection leaves it only after the topic has it.
  const pending = readPages((after) => loadPendingRejections(client, { ...PAGE, after }));
  for await (const { value } of pending) note(rejectionCodec.decode(value));
  for await (const page of readRejections({ brokers, topic }, start.rejectedEnds)) {
    for (const rejection of page.rejections) note(rejection);
  }
  return { applied: sent.countApplied(reached), changed, rejected, rejections };
}
