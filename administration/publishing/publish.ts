import type { Message, MessageProducer } from '../../kafka/writing/submissions-producer.ts';
import { stringifyJson } from '../../schemas/json-text.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';
import { type Idempotency, type MadeRecord, makeOnce } from '../../store/access/idempotency.ts';
import {
  type Author,
  beginPublication,
  findNews,
  holdRights,
  lockPublishing,
  markBatch,
  nameSender,
  savePublication,
} from '../../store/access/publications.ts';
import type { DatabasePool, Transaction } from '../../store/connection/read-pool.ts';

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

/** A position has changed since its author has seen it, or is about to change. */
export class PositionChangedError extends Error {
  override name = 'PositionChangedError';
}

export interface PublishRequest {
  accountId: number;
  author: Author;
  /** Checked submissions, at least one. */
  submissions: readonly Submission[];
  idempotency: Idempotency | null;
  /** The time by which Idempotency-Keys are remembered. */
  now: Date;
  /**
   * The last change of the stream that the author has seen: nothing may have changed or overtaken the positions since, as
   * far as the account's own submissions go; null accepts any.
   */
  unchangedSince: number | null;
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
 * @throws PositionChangedError if a position has news since the change that the author has seen; nothing is sent then
 * @throws IdempotencyKeyReusedError if the key was used for another request; nothing is sent then
 * @throws UnconfirmedError if Kafka fails; some may be applied. Sending them again is safe: what changes nothing makes
 *   no event.
 * @throws the errors of `confirm`, and the database's, which can come after the sending
 */
export async function publish(
  pool: DatabasePool,
  openProducer: () => Promise<MessageProducer>,
  request: PublishRequest,
): Promise<MadeRecord> {
  const { accountId, author, submissions, idempotency, now, confirm } = request;
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
      await requireNoNews(transaction, request);
      const marks = await beginPublication(transaction);
      const { id } = marks;
      const { topicId, places } = await send(openProducer, messages, nameSender(id));
      const publication = {
        ...{ topicId, endorsers, contests, ...marks },
        partitions: places.map(({ partition }) => partition),
        offsets: places.map(({ offset }) => offset),
      };
      await savePublication(transaction, { accountId, author }, publication);
      if (idempotency) await markBatch(transaction, { accountId, key: idempotency.key, publicationId: id });
      const shown = submissions.map(({ endorser, contest }) => ({ endorser, contest, status: 'submitted' }));
      return { id, record: stringifyJson({ id, submissions: shown }) };
    });
  }, retries);
}

/** @throws PositionChangedError */
async function requireNoNews(
  transaction: Transaction,
  { accountId, submissions, unchangedSince: since }: PublishRequest,
): Promise<void> {
  if (since === null) return;
  const { isChanged, isOnItsWay } = await findNews(transaction, { accountId, positions: submissions, since });
  if (isChanged || isOnItsWay) throw new PositionChangedError('A position has news.');
}

async function send(
  openProducer: () => Promise<MessageProducer>,
  messages: readonly Message[],
  sender: string,
) {
  try {
    const producer = await openProducer();
    const topicId = await producer.identifyTopic();
    return { topicId, places: await producer.send(messages, sender) };
  } catch (cause) {
    throw new UnconfirmedError('Kafka did not confirm that it has the submissions.', { cause });
  }
}
