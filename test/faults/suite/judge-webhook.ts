import type { ChangeLog } from '../../helpers/stream/change-log.ts';
import { until } from '../../helpers/until.ts';
import type { Receiver } from '../../helpers/webhooks/receiver.ts';

/**
 * Compares what a receiver of all events got with the change log: every event, in order, in one message only, which comes
 * with the same bytes each time. @returns the differences, a sentence each
 */
export async function judgeWebhook(
  receiver: Receiver,
  { log, head, settleMs }: { log: ChangeLog; head: number; settleMs: number },
): Promise<string[]> {
  const wanted = log.events.slice(0, head).map(({ id }) => id);
  const last = wanted.at(-1);
  const isThere = () => last === undefined || receiver.eventIds.includes(last);
  await until('the webhook has every event', isThere, settleMs).catch(() => {});
  const faults: string[] = [];
  const got = [...new Set(receiver.eventIds)];
  if (got.join() !== wanted.join()) {
    const at = wanted.findIndex((id, index) => got[index] !== id);
    faults.push(
      `the webhook got ${got.length} of ${wanted.length} events, and differs from change ${at + 1} on.`,
    );
  }
  if (receiver.unverified > 0) faults.push(`${receiver.unverified} messages had no valid signature.`);
  if (receiver.mostAtOnce > 1) faults.push(`${receiver.mostAtOnce} messages came at a time.`);
  const bodies = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { id, body, json } of receiver.messages) {
    if ((bodies.get(id) ?? body) !== body) faults.push(`the message ${id} came with other bytes.`);
    bodies.set(id, body);
    for (const event of json.data.events) {
      const owner = owners.get(event.id) ?? id;
      if (owner !== id) faults.push(`the event ${event.id} is in ${owner} and in ${id}.`);
      owners.set(event.id, owner);
    }
  }
  return faults;
}
