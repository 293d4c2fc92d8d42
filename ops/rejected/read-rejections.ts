import { KafkaLog } from '../../gateway/feed/kafka-log.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 4 * 1024 * 1024 };

export interface ReadRejections {
  /** By time; a refusal that a crash recorded twice is there once. */
  rejections: Rejection[];
  /** By partition: where the topic ended. */
  ends: Map<number, number>;
}

/**
 * Reads the rejected topic, from these offsets (by partition; its beginning where there is none) to its end.
 *
 * @throws the Kafka client's error when the brokers do not answer or there is no such topic.
 */
export async function readRejections(
  { brokers, topic }: { brokers: string[]; topic: string },
  from: ReadonlyMap<number, number> = new Map(),
): Promise<ReadRejections> {
  const log = new KafkaLog({ brokers, topic, clientId: 'ballot-endorsements-ops' });
  const byOrigin = new Map<string, Rejection>();
  const ends = new Map<number, number>();
  try {
    const leaders = await log.leaders();
    const open = new Map(leaders.map((_, partition) => [partition, from.get(partition) ?? 0]));
    while (open.size > 0) {
      for (const node of new Set(leaders)) {
        const wanted = new Map([...open].filter(([partition]) => leaders[partition] === node));
        if (wanted.size === 0) continue;
        for (const { partition, records, nextOffset, atEnd } of await log.fetch(node, wanted, LIMITS)) {
          for (const { value } of records) {
            const rejection = rejectionCodec.decode(value);
            byOrigin.set(`${rejection.topic} ${rejection.partition} ${rejection.offset}`, rejection);
          }
          open.set(partition, nextOffset);
          if (!atEnd) continue;
          open.delete(partition);
          ends.set(partition, nextOffset);
        }
      }
    }
  } finally {
    await log.close();
  }
  const rejections = [...byOrigin.values()].sort((a, b) => a.rejected_at - b.rejected_at);
  return { rejections, ends };
}
