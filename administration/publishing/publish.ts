import type { Message, MessageProducer } from '../../kafka/writing/submissions-producer.ts';
import { stringifyJson } from '../../schemas/json-text.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';
import {
  type Idempotency,
  type MadeRecord,
  makeOnce,
  type Transaction,
} from '../../store/access/idempotency.ts';
import { holdRights, loadMarks, lockPublishing, savePublication } from '../../store/access/publications.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';

/** An account may not publish for some endorsers. */
export class ForeignEndorserError extends Error {
  override name = 'ForeignEndorserError';
  /** Their slugs, in the order of the submissions. */
  readonly endorsers: readonly string[];

  constructor(endorsers: readonly string[]) {
    super(`The account may not publish for ${endorsers.join(', ')}.`);
    this.endorsers = endorsers;
  }
}

/** Kafka did not confirm that it has the submissions. It may have none, some or all of them. */
export class UnconfirmedError extends Error {
  override name = 'UnconfirmedError';
}

export interface PublishRequest {
  accountId: number;
  /** Checked submissions, at least one. */
  submissions: readonly Submission[];
  idempotency: Idempotency | null;
  /** The time by which Idempotency-Keys are remembered. */
  now: Date;
  /** Called when the account's turn has come. Refuses an author that may no longer publish. */
  confirm: (transaction: Transaction) => Promise<void>;
}

/**
 * Sends an account's submissions to Kafka, all or none, and saves their places. The account's requests take turns, on all
 * gateways, and each is sent after the one before. A right that is taken back meanwhile takes effect after the sending.
 *
 * @param openProducer a producer of the topic of submissions
 * @returns the publication's id, and its JSON
 * @throws ForeignEndorserError if the account may not publish for an endorser; nothing is sent then
 * @throws IdempotencyKeyReusedError if the key was used for another request; nothing is sent then
 * @throws UnconfirmedError if Kafka fails; some may be applied. Sending them again is safe: what changes nothing makes
 *   no event.
 * @throws the errors of `confirm`, and the database's, which can come after the sending
 */
export async function publish(
  pool: DatabasePool,
  openProducer: () => Promise<MessageProducer>,
  { accountId, submissions, idempotency, now, confirm }: PublishRequest,
): Promise<MadeRecord> {
  const endorsers = submissions.map(({ endorser }) => endorser);
  const contests = submissions.map(({ contest }) => contest);
  const messages = submissions.map(
    (submission): Message => ({ key: submission.endorser, value: submissionCodec.encode(submission) }),
  );
  // A second attempt could send everything again.
  const retries = 0;
  return pool.transaction(async (transaction) => {
    await lockPublishing(transaction, accountId);
    await confirm(transaction);
    return makeOnce(transaction, { accountId, idempotency, kind: 'publication', now }, async () => {
      const allowed = await holdRights(transaction, accountId, [...new Set(endorsers)]);
      const foreign = new Set(endorsers.filter((endorser) => !allowed.has(endorser)));
      if (foreign.size > 0) throw new ForeignEndorserError([...foreign]);
      const marks = await loadMarks(transaction);
      const { topicId, places } = await send(openProducer, messages);
      const id = await savePublication(transaction, accountId, {
        ...{ topicId, endorsers, contests, ...marks },
        partitions: places.map(({ partition }) => partition),
        offsets: places.map(({ offset }) => offset),
      });
      const shown = submissions.map(({ endorser, contest }) => ({ endorser, contest, status: 'submitted' }));
      return { id, record: stringifyJson({ id, submissions: shown }) };
    });
  }, retries);
}

async function send(openProducer: () => Promise<MessageProducer>, messages: readonly Message[]) {
  try {
    const producer = await openProducer();
    const topicId = await producer.identifyTopic();
    return { topicId, places: await producer.send(messages) };
  } catch (cause) {
    throw new UnconfirmedError('Kafka did not confirm that it has the submissions.', { cause });
  }
}
