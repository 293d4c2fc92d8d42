import type { Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import type { TopicNames } from '../../kafka/topic-names.ts';
import { createRejectedProducer } from '../../kafka/writing/rejected-producer.ts';
import type { Brokers } from '../../service/brokers.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { observeHop } from '../../service/stream-metrics.ts';
import { traceMessages } from '../../service/tracing.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../../store/connection/sql-state.ts';
import { type Leadership, startLeadership, type Term } from '../leadership.ts';
import { verifyHistory } from '../verify-history.ts';
import { runAnnouncer } from './announcer.ts';
import { type Applied, applyRanges } from './apply-ranges.ts';
import { Backlog } from './backlog.ts';
import { BallotCache } from './ballot-cache.ts';
import { clearLag, LagReport } from './lag-report.ts';
import { appliedChanges, appliedSubmissions, applyLeader, rejectedSubmissions } from './metrics.ts';
import { type ReconciledOffsets, reconcileOffsets, wasTruncated } from './reconcile-offsets.ts';
import { RejectionSender } from './rejection-sender.ts';
import { refuseForError } from './submission-fault.ts';
import type { SubmissionRange } from './submission-record.ts';
import { writeInParts } from './write-in-parts.ts';
import type { Write } from './write-submissions.ts';

/** Enough to justify a transaction's round trips, and few enough to hold the stream's lock only briefly. */
const MAX_SUBMISSIONS_PER_TRANSACTION = 1000;
/** The longest wait for submissions before the round counts as a success, in milliseconds. */
const IDLE_MS = 1000;
/** The interval between two measurements of the lag, in milliseconds. */
const REPORT_MS = 1000;
/** The interval between two commits of offsets to the group, in milliseconds. */
const COMMIT_INTERVAL_MS = 1000;

export interface ApplyOptions {
  kafka: Kafka;
  brokers: Brokers;
  databaseUrl: string;
  /** For sending rejections and announcing catalogue edits, beside the leader's own connection. */
  pool: Pool;
  topics: TopicNames;
  /** The consumer group for committed offsets, for lag tools. */
  groupId: string;
  /** The database's clock, for measuring. */
  clock: Clock;
  log: Logger;
}

/**
 * Applies the submissions topic to Postgres while this process leads, and stands by otherwise. The stored
 * offsets decide what is applied (INV-8); the consumer group's offsets follow, for lag tools.
 */
export function startApply(options: ApplyOptions): Leadership {
  const { databaseUrl, log } = options;
  const { apply: leader, applying: working } = ADVISORY_LOCKS;
  return startLeadership({
    name: 'apply',
    where: 'apply',
    databaseUrl,
    locks: { leader, working },
    verify: ({ client, signal }) =>
      verifyHistory(client, { brokers: options.brokers, topic: options.topics.changes, signal }),
    lead: (term) => lead(options, term),
    onLead: (leads) => {
      applyLeader.set(leads ? 1 : 0);
      if (!leads) clearLag();
    },
    log,
  });
}

async function lead(options: ApplyOptions, term: Term): Promise<void> {
  const { kafka, brokers, topics, groupId, pool, clock, log } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([term.signal, ending.signal]);
  let reconciledId: string | null = null;
  const reader = new TopicReader({
    brokers,
    topic: topics.submissions,
    clientId: groupId,
    committed: true,
    expectedId: () => reconciledId,
  });
  term.atEnd(() => reader.close());
  const producer = createRejectedProducer(kafka, { brokers, topic: topics.rejected });
  term.atEnd(() => producer.disconnect());
  const group = new GroupOffsets({ brokers, groupId, topic: topics.submissions });
  term.atEnd(() => group.close());

  const reconciled = await reconcileOffsets({
    client: term.client,
    reader,
    group,
    topic: topics.submissions,
    log,
  });
  reconciledId = reconciled.topicId;
  const backlog = new Backlog(
    reader,
    reconciled.offsets,
    (partitions) => wasTruncated(pool, reader, topics.submissions, partitions),
    log,
  );
  const sender = new RejectionSender(pool, producer, log);
  const sending = sender.run(signal);
  const announcing = runAnnouncer(pool, log, signal);
  const report = new LagReport(backlog);
  // Apart from applying, which can wait for the stream's lock for minutes.
  const reporting = repeat(REPORT_MS, systemClock, async () => report.update());
  backlog.start();
  try {
    await applyBacklog(
      { topic: topics.submissions, reconciled, backlog, sender, group, clock, log },
      { ...term, signal },
    );
  } finally {
    ending.abort();
    await Promise.all([backlog.stop(), sending, announcing, reporting.stop()]);
  }
}

interface Parts {
  topic: string;
  reconciled: ReconciledOffsets;
  backlog: Backlog;
  sender: RejectionSender;
  group: GroupOffsets;
  clock: Clock;
  log: Logger;
}

async function applyBacklog(parts: Parts, { client, signal, succeeded }: Term): Promise<void> {
  const { topic, reconciled, backlog, sender, group, clock, log } = parts;
  const cache = new BallotCache();
  let committedAt = 0;
  // The process before may have ended between applying and committing.
  const reached = new Map(reconciled.offsets.entries());
  let isCommitted = false;
  // A commit that is tried again must not come after a later one.
  let isCommitting = false;
  while (!signal.aborted) {
    const ranges = await backlog.take(MAX_SUBMISSIONS_PER_TRANSACTION, IDLE_MS, signal);
    if (ranges.length > 0) {
      const applied = await traceRanges(topic, ranges, () =>
        applyAllButRefused(client, topic, ranges, { cache, signal, log }),
      );
      backlog.applied(ranges);
      count(applied);
      measure(ranges, clock.now());
      if (applied.rejected > 0) sender.notify();
      for (const { partition, to } of ranges) reached.set(partition, to);
      isCommitted = false;
    }
    if (ranges.length > 0 || backlog.isHealthy) await succeeded();
    const isDue = !isCommitted && !isCommitting && performance.now() - committedAt >= COMMIT_INTERVAL_MS;
    if (!isDue) continue;
    committedAt = performance.now();
    isCommitted = true;
    isCommitting = true;
    group
      .commit(new Map(reached), reconciled.topicId)
      .catch((error: unknown) => {
        isCommitted = false;
        // Only tools need these offsets, and another round follows, so an outage is not reported here.
        const message = 'offsets could not be committed to the consumer group';
        reportFailure(log, error, { where: 'apply', message, quiet: true });
      })
      .finally(() => {
        isCommitting = false;
      });
  }
}

/** Applies ranges without the submissions that the database refuses. Waits for the stream's lock as long as needed. */
async function applyAllButRefused(
  client: Term['client'],
  topic: string,
  ranges: readonly SubmissionRange[],
  { cache, signal, log }: { cache: BallotCache; signal: AbortSignal; log: Logger },
): Promise<Applied> {
  let write: Write | undefined;
  for (;;) {
    try {
      return await applyRanges(client, topic, ranges, { ...(write && { write }), cache });
    } catch (error) {
      if (sqlStateOf(error) === LOCK_NOT_AVAILABLE && !signal.aborted) {
        log.info('the stream is locked by an import; submissions wait for it');
        continue;
      }
      const refusal = refuseForError(error);
      if (write || !refusal) throw error;
      const message = 'the database refuses a batch of submissions; looking for the faulty ones';
      if (refusal.code === 'defect') reportFailure(log, error, { where: 'apply', message });
      else log.warn({ error }, message);
      write = writeInParts(refuseForError);
    }
  }
}

function count({ submissions, changes, rejected }: Applied): void {
  appliedSubmissions.inc(submissions);
  appliedChanges.inc(changes);
  rejectedSubmissions.inc(rejected);
}

/** Observes the time from submitting to applying. After a restart, some submissions count again. */
function measure(ranges: readonly SubmissionRange[], appliedAt: number): void {
  for (const { records } of ranges) {
    for (const { submittedAt } of records)
      if (submittedAt !== null) observeHop('apply', submittedAt, appliedAt);
  }
}

/** Applies some ranges within a span, unless they have no submission, only markers of transactions. */
function traceRanges<T>(
  topic: string,
  ranges: readonly SubmissionRange[],
  apply: () => Promise<T>,
): Promise<T> {
  const records = ranges.flatMap((each) => each.records);
  if (records.length === 0) return apply();
  const work = () => ({
    name: `process ${topic}`,
    kind: 'consumer' as const,
    traceparents: records.map(({ traceparent }) => traceparent),
    attributes: { 'messaging.batch.message_count': records.length },
  });
  return traceMessages(work, apply);
}
