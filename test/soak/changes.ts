import { setTimeout as sleep } from 'node:timers/promises';
import { loadBounds } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import type { Random } from '../../ops/demo/random.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { until } from '../helpers/until.ts';
import { createSubmission } from './ballot.ts';
import type { Cluster } from './cluster.ts';

const BATCH_MS = 50;
const DRAIN_MS = 120_000;

/** Submits changes at a rate; those without an acknowledgement are submitted again, in their order. */
export async function makeChanges(
  cluster: Cluster,
  random: Random,
  rate: number,
  over: AbortSignal,
): Promise<void> {
  let producer: MessageProducer | null = null;
  let made = 0;
  const started = Date.now();
  while (!over.aborted) {
    const due = Math.min(Math.floor(((Date.now() - started) * rate) / 1000) - made, 10 * rate);
    const batch = Array.from({ length: Math.max(0, due) }, () => createSubmission(made++, random));
    const messages = batch.map((change) => ({ key: change.endorser, value: submissionCodec.encode(change) }));
    while (messages.length > 0) {
      try {
        producer ??= await openProducer(cluster.brokers, topicNames().submissions);
        await producer.send(messages);
        break;
      } catch {
        await producer?.close().catch(() => {});
        producer = null;
        await sleep(BATCH_MS);
      }
    }
    await sleep(BATCH_MS);
  }
  await producer?.close();
}

/**
 * Waits until every submission is applied and every change relayed, including those behind an open transaction.
 *
 * @returns the sequence of the last change
 */
export async function drain({ databaseUrl, brokers }: Cluster): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const topic = topicNames().submissions;
    const bounds = await loadBounds({ brokers, topic, clientId: 'soak' });
    const submitted = bounds.reduce((sum, { end }) => sum + end, 0);
    const read = async () => {
      const { rows } = await client.query<{ applied: string; relayed: string; head: string }>(
        `SELECT (SELECT COALESCE(sum(next_offset), 0) FROM consumer_offsets) AS applied,
           (SELECT COALESCE(max(last_sequence), 0) FROM relay_batches WHERE acknowledged_at IS NOT NULL) AS relayed,
           (SELECT last_sequence FROM stream_head) AS head`,
      );
      const { applied, relayed, head } = rows[0] ?? { applied: '0', relayed: '0', head: '-1' };
      return { done: Number(applied) >= submitted && relayed === head, head: Number(head) };
    };
    await until('everything submitted to be relayed', async () => (await read()).done, DRAIN_MS);
    return (await read()).head;
  });
}
