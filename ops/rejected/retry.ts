import type { ClientBase } from 'pg';
import { type Message, openProducer } from '../../kafka/submissions-producer.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Rejection, Submission } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { findChangedSince } from '../../store/endorsements/changed-since.ts';
import {
  advanceConsumerOffsets,
  loadConsumerOffsets,
  lockConsumerOffsets,
} from '../../store/stream/consumer-offsets.ts';
import type { CommandIo } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { describeRejection, readSubmission } from './describe.ts';
import { readRejections } from './read-rejections.ts';

const BATCH = 500;

/** A rejected submission that can be sent again. */
interface Retriable {
  rejection: Rejection;
  submission: Submission;
  message: Message;
}

function findRetriable(rejections: Rejection[]): Retriable[] {
  return rejections.flatMap((rejection) => {
    const submission = readSubmission(rejection);
    const { value, truncated } = rejection;
    return submission && value && !truncated
      ? [{ rejection, submission, message: { key: submission.endorser, value } }]
      : [];
  });
}

async function sendAgain({ brokers, topicPrefix }: OpsConfig, retriable: Retriable[]): Promise<void> {
  const messages = retriable.map(({ message }) => message);
  const producer = await openProducer(brokers, topicNames(topicPrefix).submissions);
  try {
    for (let start = 0; start < messages.length; start += BATCH) {
      await producer.send(messages.slice(start, start + BATCH));
    }
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
 * Sends the submissions that were rejected since the last retry again, unchanged; those that are still bad are rejected
 * anew. A submission is left out and named if its endorser has changed the position at the same time or later, since
 * sending it now could undo the newer change.
 *
 * Postgres keeps the end of the last retry beside the positions of the consumers. A retry that starts while another runs
 * waits for it, and sends the rest.
 */
export async function retryNew(config: OpsConfig, io: CommandIo): Promise<void> {
  const { brokers, databaseUrl } = config;
  const topic = topicNames(config.topicPrefix).rejected;
  await inOneTransaction(databaseUrl, async (client) => {
    // Before anything is read, so that a retry that waited here sees how far the one before it came.
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.rejectedRetry]);
    const offsets = await loadConsumerOffsets(client, topic);
    const { rejections, ends } = await readRejections({ brokers, topic }, offsets);
    // A submission that was skipped could stop the consumers again.
    const skipped = rejections.filter(({ code }) => code === 'skipped');
    const others = rejections.filter(({ code }) => code !== 'skipped');
    const retriable = findRetriable(others);
    const outdated = await findOutdated(client, retriable);
    const current = retriable.filter((one) => !outdated.has(one));
    await sendAgain(config, current);
    await lockConsumerOffsets(client, topic, [...ends.keys()]);
    await advanceConsumerOffsets(
      client,
      topic,
      [...ends].map(([partition, to]) => ({ partition, from: offsets.get(partition) ?? 0, to })),
    );
    for (const { rejection } of outdated) io.out(describeRejection(rejection));
    const unreadable = others.length - retriable.length;
    io.err(
      `${current.length} rejected submissions were sent again${unreadable > 0 ? `, ${unreadable} cannot be read` : ''}.`,
    );
    if (skipped.length > 0) {
      io.err(
        `${skipped.length} were not, since an operator skipped them. "rejected retry PARTITION/OFFSET" sends one of them.`,
      );
    }
    if (outdated.size > 0) {
      io.err(
        `${outdated.size} were not, since their endorsers have changed their positions at the same time or later. ` +
          '"rejected retry PARTITION/OFFSET" sends one of them nevertheless.',
      );
    }
  });
}

/**
 * Sends these rejected submissions again, even if their positions have changed since or they were sent again before.
 *
 * @param origins the submissions' places in their topic, each `partition/offset`
 * @throws OperatorError if one of them is not kept or cannot be read; nothing is sent then
 */
export async function retryChosen(config: OpsConfig, origins: string[], io: CommandIo): Promise<void> {
  const topic = topicNames(config.topicPrefix).rejected;
  const { rejections } = await readRejections({ brokers: config.brokers, topic });
  const truncated = new Set(
    rejections.filter((one) => one.truncated).map(({ partition, offset }) => `${partition}/${offset}`),
  );
  const byOrigin = new Map(
    findRetriable(rejections).map((one) => [`${one.rejection.partition}/${one.rejection.offset}`, one]),
  );
  const chosen = origins.map((origin) => {
    const found = byOrigin.get(origin);
    if (found) return found;
    if (truncated.has(origin)) {
      throw new OperatorError(
        `Only the beginning of ${origin} is kept, so it cannot be sent again: its producer must send it. Nothing was sent.`,
      );
    }
    throw new OperatorError(
      `No readable rejected submission of origin ${origin} is kept; "rejected list" shows them. Nothing was sent.`,
    );
  });
  await sendAgain(config, chosen);
  io.err(`${chosen.length} rejected submissions were sent again.`);
}
