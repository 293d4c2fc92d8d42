import type { ClientBase } from 'pg';
import { identifyTopic } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type Message, openProducer } from '../../kafka/writing/submissions-producer.ts';
import type { Rejection, Submission } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { type Actor, nameSender, recordAudit } from '../../store/accounts/audit-log.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { findChangedSince } from '../../store/endorsements/changed-since.ts';
import {
  advanceConsumerOffsets,
  loadConsumerOffsets,
  lockConsumerOffsets,
  reconcileTopic,
} from '../../store/stream/consumer-offsets.ts';
import { loadSettled } from '../../store/stream/settled-rejections.ts';
import type { KafkaPlace } from '../lag.ts';
import { readSubmission } from './describe.ts';
import { readWithSuperseded, type SortedPage } from './find-superseded.ts';
import { nameOf, originOf, subjectOf } from './name.ts';

const BATCH = 500;

/** The topics' Kafka. */
export interface TopicsPlace extends KafkaPlace {
  /** Called with the number of the rejected topic's offsets read so far, and the total. */
  onProgress?: (done: number, total: number) => void;
  /** Called for each submission that a retry leaves out because its position has changed since. */
  onOutdated?: (rejection: Rejection) => void;
}

/** The result of retrying everything rejected since the last retry. */
export interface RetryOutcome {
  /** The number of submissions that were sent again. */
  sent: number;
  /** The number of submissions that cannot be sent, because they are unreadable or not kept in full. */
  unreadable: number;
  /** The number of submissions left out because an operator skipped them. */
  skipped: number;
  /** The number of submissions left out because their endorsers changed the positions at the same time or later. */
  outdated: number;
  /** The number of rejections left out because their submission came again and was rejected again, and counts then. */
  superseded: number;
  /** The number of rejections left out because an operator has dismissed them, or has sent a correction. */
  settled: number;
}

/** A rejected submission that can be sent again. */
interface Retriable {
  rejection: Rejection;
  submission: Submission;
  message: Message;
}

function findRetriable(rejections: readonly Rejection[]): Retriable[] {
  return rejections.flatMap((rejection) => {
    const submission = readSubmission(rejection);
    const { value, truncated } = rejection;
    return submission && value && !truncated
      ? [{ rejection, submission, message: { key: submission.endorser, value } }]
      : [];
  });
}

const senderOf = (actor: Actor): string => nameSender('ops rejected retry', actor);

type Send = (messages: readonly Message[]) => Promise<void>;

/** Sends submissions in order. @param sender its name for the history @throws the Kafka client's error */
export async function withSender(
  { brokers, topicPrefix }: TopicsPlace,
  sender: string,
  work: (send: Send) => Promise<void>,
): Promise<void> {
  const producer = await openProducer(brokers, topicNames(topicPrefix).submissions);
  try {
    await work(async (messages) => {
      for (let start = 0; start < messages.length; start += BATCH) {
        await producer.send(messages.slice(start, start + BATCH), sender);
      }
    });
  } finally {
    await producer.close();
  }
}

async function findOutdated(client: ClientBase, retriable: Retriable[]): Promise<Set<Retriable>> {
  const said = retriable.map(({ submission: { endorser, contest }, rejection }) => ({
    endorser,
    contest,
    at: rejection.rejected_at,
  }));
  const changed = await findChangedSince(client, said);
  return new Set(retriable.filter((_, index) => changed.has(index)));
}

/**
 * Sends the submissions that were rejected since the last retry again, unchanged. Bad ones are rejected
 * again. Omits a submission if its endorser has changed the position at the same time or later, because
 * sending it could undo the newer change, or if an operator has dismissed or corrected it.
 *
 * Postgres keeps the end of the last retry beside the consumers' offsets. A concurrent retry waits for this
 * one, and sends the rest. The audit log records a retry that met any rejection.
 *
 * @param client in a transaction that does nothing else. The caller commits it.
 * @throws the Kafka client's error if the brokers do not answer or a topic does not exist
 */
export async function retryNew(client: ClientBase, place: TopicsPlace, actor: Actor): Promise<RetryOutcome> {
  const { brokers, topicPrefix, onProgress } = place;
  const { rejected: topic } = topicNames(topicPrefix);
  // Taken before reading, so that a waiting retry sees the progress of the previous one.
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.rejectedRetry]);
  // If the topic was made anew, no record in it was retried yet.
  const identified = { brokers, topic, clientId: 'ballot-endorsements-administration' };
  await reconcileTopic(client, topic, await identifyTopic(identified));
  const offsets = await loadConsumerOffsets(client, topic);
  const outcome: RetryOutcome = {
    sent: 0,
    unreadable: 0,
    skipped: 0,
    outdated: 0,
    superseded: 0,
    settled: 0,
  };
  let ends: ReadonlyMap<number, number> = new Map();
  await withSender(place, senderOf(actor), async (send) => {
    const reading = { brokers, topic, ...(onProgress && { onProgress }) };
    for await (const page of readWithSuperseded(reading, offsets)) {
      await retryPage(client, place, page, { send, outcome });
      ends = page.ends;
    }
  });
  if (Object.values(outcome).some((count) => count > 0)) {
    await recordAudit(client, actor, {
      action: 'submission.retried',
      subject: 'rejected submissions',
      details: { topic, ...outcome },
    });
  }
  await lockConsumerOffsets(client, topic, [...ends.keys()]);
  await advanceConsumerOffsets(
    client,
    topic,
    [...ends].map(([partition, to]) => ({ partition, from: offsets.get(partition) ?? 0, to })),
  );
  return outcome;
}

/** Sends the submissions of a page that may be sent, and adds the counts to the outcome. */
async function retryPage(
  client: ClientBase,
  { onOutdated }: TopicsPlace,
  { rejections, superseded }: SortedPage,
  { send, outcome }: { send: Send; outcome: RetryOutcome },
): Promise<void> {
  const latest = rejections.filter((rejection) => !superseded.has(rejection));
  const settled = await loadSettled(client, latest.map(nameOf));
  const last = latest.filter((rejection) => !settled.has(nameOf(rejection)));
  // A skipped submission could stop the consumers again.
  const others = last.filter(({ code }) => code !== 'skipped');
  const retriable = findRetriable(others);
  const outdated = await findOutdated(client, retriable);
  for (const { rejection } of outdated) onOutdated?.(rejection);
  await send(retriable.filter((one) => !outdated.has(one)).map(({ message }) => message));
  outcome.sent += retriable.length - outdated.size;
  outcome.unreadable += others.length - retriable.length;
  outcome.skipped += last.length - others.length;
  outcome.superseded += superseded.size;
  outcome.settled += settled.size;
  outcome.outdated += outdated.size;
}

/**
 * Sends these rejected submissions again, even if their positions have changed since or they were sent again
 * before. The audit log records their names.
 *
 * @param client in a transaction that does nothing else. The caller commits it.
 * @returns the number of sent submissions
 * @throws OperatorError if a submission is not kept in full, or unreadable; nothing is sent then
 * @throws the Kafka client's error if the brokers do not answer or a topic does not exist
 */
export async function retryChosen(
  client: ClientBase,
  place: TopicsPlace,
  chosen: readonly Rejection[],
  actor: Actor,
): Promise<number> {
  const { rejected: topic } = topicNames(place.topicPrefix);
  const retriable = chosen.map(requireRetriable);
  await recordAudit(client, actor, {
    action: 'submission.retried',
    subject: subjectOf(chosen),
    details: { topic, sent: chosen.length, origins: chosen.map(nameOf) },
  });
  await withSender(place, senderOf(actor), (send) => send(retriable.map(({ message }) => message)));
  return chosen.length;
}

/** @throws OperatorError */
function requireRetriable(rejection: Rejection): Retriable {
  const [retriable] = findRetriable([rejection]);
  if (retriable) return retriable;
  const problem = rejection.truncated
    ? `Only the beginning of ${originOf(rejection)} is kept`
    : `${originOf(rejection)} cannot be read`;
  throw new OperatorError(
    `${problem}, so it cannot be sent again: its producer must send it. Nothing was sent.`,
  );
}
