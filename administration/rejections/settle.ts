import type { ClientBase, Pool } from 'pg';
import { topicNames } from '../../kafka/topic-names.ts';
import { type Rejection, type Submission, submissionCodec } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { type Actor, nameSender, recordAudit } from '../../store/accounts/audit-log.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { loadSettled, type Settled, settleRejections } from '../../store/stream/settled-rejections.ts';
import { nameOf, originOf, subjectOf } from './name.ts';
import { type TopicsPlace, withSender } from './retry.ts';

/** The rejections that an operator has dismissed, or has sent corrected. */
export async function findSettled(
  client: ClientBase | Pool,
  rejections: readonly Rejection[],
): Promise<Map<Rejection, Settled>> {
  const settled = await loadSettled(client, rejections.map(nameOf));
  return new Map(
    rejections.flatMap((rejection) => {
      const how = settled.get(nameOf(rejection));
      return how === undefined ? [] : [[rejection, how] as const];
    }),
  );
}

/** @throws OperatorError if a retry runs: it could send a rejection that it has looked up before it was settled */
async function requireNoRetry(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ isFree: boolean }>(
    'SELECT pg_try_advisory_xact_lock_shared($1) AS "isFree"',
    [ADVISORY_LOCKS.rejectedRetry],
  );
  if (rows[0]?.isFree) return;
  throw new OperatorError(
    'Rejected submissions are being sent again right now. Nothing was done: try again when that has ended.',
  );
}

/**
 * Notes that rejections need nothing more, so that lists and retries leave them out. The audit log records their names.
 *
 * @param client in a transaction
 * @returns the number of those that were not settled before
 * @throws OperatorError if a retry runs
 */
export async function dismissChosen(
  client: ClientBase,
  { topicPrefix }: Pick<TopicsPlace, 'topicPrefix'>,
  chosen: readonly Rejection[],
  actor: Actor,
): Promise<number> {
  await requireNoRetry(client);
  const dismissed = await settleRejections(client, chosen.map(nameOf), 'dismissed');
  if (dismissed.length > 0) {
    await recordAudit(client, actor, {
      action: 'submission.dismissed',
      subject: subjectOf(chosen),
      details: { topic: topicNames(topicPrefix).rejected, origins: dismissed },
    });
  }
  return dismissed.length;
}

/**
 * Sends a correction of a rejected submission, once. The audit log records it.
 *
 * @param client in a transaction that does nothing else. The caller commits it.
 * @param correction a checked submission
 * @throws OperatorError if a correction was sent already, or a retry runs
 * @throws the Kafka client's error if the brokers do not answer or a topic does not exist
 */
export async function sendCorrection(
  client: ClientBase,
  place: TopicsPlace,
  { rejection, correction }: { rejection: Rejection; correction: Submission },
  actor: Actor,
): Promise<void> {
  await requireNoRetry(client);
  const [settled] = await settleRejections(client, [nameOf(rejection)], 'corrected');
  if (settled === undefined) {
    throw new OperatorError(`A correction of ${originOf(rejection)} was sent already. Nothing was sent.`);
  }
  const { endorser, contest, action, picks } = correction;
  await recordAudit(client, actor, {
    action: 'submission.corrected',
    subject: subjectOf([rejection]),
    details: {
      origin: nameOf(rejection),
      action,
      endorser,
      contest,
      choices: picks.map(({ choice }) => choice),
    },
  });
  const message = { key: endorser, value: submissionCodec.encode(correction) };
  await withSender(place, nameSender('correction', actor), (send) => send([message]));
}
