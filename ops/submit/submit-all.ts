import { topicExists } from '../../kafka/connection/admin.ts';
import { type Message, openProducer, type Place } from '../../kafka/writing/submissions-producer.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';
import { type Brokers, nameBrokers } from '../../service/brokers.ts';
import { describeMissingTopic } from '../../service/missing-topic.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { unlessAborted } from '../../service/unless-aborted.ts';
import { UnfinishedError } from '../command.ts';
import { count } from '../table.ts';

const MAX_BATCH_MESSAGES = 1_000;
/** Well below a broker's limit of a megabyte, even if every message has the same key. */
const MAX_BATCH_BYTES = 500_000;

export interface SubmitOptions {
  brokers: Brokers;
  topic: string;
  submissions: AsyncIterable<Submission> | Iterable<Submission>;
  /** The name of the sender, which becomes that of the changes; by default none. */
  sender?: string;
  /** Called with the number of newly acknowledged submissions. */
  onProgress?: (count: number) => void;
  /** Called with the places of newly acknowledged submissions. */
  onSent?: (places: readonly Place[]) => void;
  /** Aborts when the operator presses Ctrl-C. */
  interrupted?: AbortSignal;
}

/**
 * Sends submissions to Kafka in their order, keyed by endorser; one batch is in memory at a time.
 *
 * @returns the number of submissions, each acknowledged by all in-sync replicas
 * @throws OperatorError if the brokers cannot be reached, the topic does not exist, or a batch is not acknowledged; its
 * message has the number of acknowledged submissions. Sending all of them again is then safe, because a submission that
 * changes nothing makes no event.
 * @throws UnfinishedError with that number too, as soon as `interrupted` aborts
 */
export async function submitAll({
  brokers,
  topic,
  submissions,
  sender,
  onProgress,
  onSent,
  interrupted = new AbortController().signal,
}: SubmitOptions): Promise<number> {
  let sent = 0;
  const attempt = <T>(work: Promise<T>): Promise<T> =>
    unlessAborted(interrupted, work).catch((error: unknown) => {
      if (interrupted.aborted) throw new UnfinishedError(`You pressed Ctrl-C. ${describeSent(sent)}.`);
      throw unreachable(brokers, sent, error);
    });
  if (!(await attempt(topicExists(brokers, topic, 'Write')))) {
    throw new OperatorError(`${describeMissingTopic(topic)}. Nothing was sent.`);
  }
  const producer = await attempt(openProducer(brokers, topic));
  try {
    for await (const batch of batches(submissions)) {
      const places = await attempt(producer.send(batch, sender));
      sent += batch.length;
      onSent?.(places);
      onProgress?.(batch.length);
    }
    return sent;
  } finally {
    await producer.close();
  }
}

function unreachable(brokers: Brokers, sent: number, cause: unknown): OperatorError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  const message = `${nameBrokers(brokers)} does not take the submissions: ${reason}. ${describeSent(sent)}.`;
  return new OperatorError(message, { cause });
}

function describeSent(sent: number): string {
  if (sent === 0) return 'Nothing was acknowledged';
  return `The first ${count(sent)} submissions were acknowledged; sending all of them again is safe`;
}

async function* batches(submissions: SubmitOptions['submissions']): AsyncGenerator<Message[]> {
  let batch: Message[] = [];
  let bytes = 0;
  for await (const submission of submissions) {
    const value = submissionCodec.encode(submission);
    if (batch.length >= MAX_BATCH_MESSAGES || (batch.length > 0 && bytes + value.length > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ key: submission.endorser, value });
    bytes += value.length;
  }
  if (batch.length > 0) yield batch;
}
