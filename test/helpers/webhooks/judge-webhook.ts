import type { StreamFilter } from '../../../domain/stream-filter.ts';
import type { ChangeLog } from '../stream/change-log.ts';
import { passes } from '../stream/stream-checker.ts';
import { until } from '../until.ts';
import type { Receiver } from './receiver.ts';

export interface WebhookRecord {
  log: ChangeLog;
  /** The sequence of the last change that must come. */
  head: number;
  /** By default, every change passes. */
  filter?: StreamFilter;
  /** The longest time until all have come, in milliseconds. */
  settleMs: number;
}

/**
 * Compares what a receiver got with the change log: every event that passes the filter, in order, in one message only,
 * which comes with the same bytes each time.
 *
 * @returns the differences, a sentence each
 */
export async function judgeWebhook(
  receiver: Receiver,
  { log, head, filter = {}, settleMs }: WebhookRecord,
): Promise<string[]> {
  const events = log.events.slice(0, head).filter((event) => passes(filter, event));
  const wanted = events.map(({ id }) => id);
  const last = wanted.at(-1);
  const isThere = () => last === undefined || receiver.eventIds.includes(last);
  await until('the webhook has every event', isThere, settleMs).catch(() => {});
  const faults: string[] = [];
  const got = [...new Set(receiver.eventIds)];
  if (got.join() !== wanted.join()) {
    const at = wanted.findIndex((id, index) => got[index] !== id);
    faults.push(
      `the webhook got ${got.length} of ${wanted.length} events, and differs from event ${at + 1} on.`,
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
