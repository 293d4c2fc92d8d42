import type { ClientBase, Pool } from 'pg';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Rejection, Submission } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { type Actor, nameSender, recordAudit } from '../../store/accounts/audit-log.ts';
import { loadSettled, type Settled, settleRejection } from '../../store/stream/settled-rejections.ts';
import { nameOf, originOf } from './name.ts';
import { findChosen, sendSubmission, type TopicsPlace } from './retry.ts';

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

/**
 * Notes that rejections need nothing more, so that lists and retries leave them out. The audit log records their names.
 *
 * @param client in a transaction
 * @param names each `partition/offset`, or `partition/offset@time` if several have that origin
 * @returns the number of those that were not settled before
 * @throws OperatorError if a rejection is not kept, or its name is ambiguous; nothing changes then
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function dismissChosen(
  client: ClientBase,
  place: TopicsPlace,
  names: readonly string[],
  actor: Actor,
): Promise<number> {
  const chosen = await findChosen(place, names, 'Nothing was dismissed');
  const dismissed: string[] = [];
  for (const rejection of chosen) {
    if (await settleRejection(client, nameOf(rejection), 'dismissed')) dismissed.push(nameOf(rejection));
  }
  const [first] = chosen;
  if (dismissed.length > 0) {
    await recordAudit(client, actor, {
      action: 'submission.dismissed',
      subject: first && chosen.length === 1 ? `submission ${originOf(first)}` : 'rejected submissions',
      details: { topic: topicNames(place.topicPrefix).rejected, origins: dismissed },
    });
  }
  return dismissed.length;
}

/**
 * Sends a correction of a rejected submission, once. The audit log records it.
 *
 * @param client in a transaction that does nothing else. The caller commits it.
 * @param name as for `dismissChosen`
 * @param correction a checked submission
 * @throws OperatorError if the rejection is not kept, its name is ambiguous, or a correction was sent already
 * @throws the Kafka client's error if the brokers do not answer or a topic does not exist
 */
export async function sendCorrection(
  client: ClientBase,
  place: TopicsPlace,
  { name, correction }: { name: string; correction: Submission },
  actor: Actor,
): Promise<void> {
  const [rejection] = await findChosen(place, [name], 'Nothing was sent');
  if (!rejection) return;
  if (!(await settleRejection(client, nameOf(rejection), 'corrected'))) {
    throw new OperatorError(`A correction of ${name} was sent already. Nothing was sent.`);
  }
  const { endorser, contest, action, picks } = correction;
  await recordAudit(client, actor, {
    action: 'submission.corrected',
    subject: `submission ${originOf(rejection)}`,
    details: {
      origin: nameOf(rejection),
      action,
      endorser,
      contest,
      choices: picks.map(({ choice }) => choice),
    },
  });
  await sendSubmission(place, correction, nameSender('correction', actor));
}
