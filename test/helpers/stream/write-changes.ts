import fc from 'fast-check';
import { createKafkaClient } from '../../../kafka/connection/client.ts';
import { type Change, changeCodec } from '../../../schemas/change.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { change } from '../properties/arbitraries.ts';

const [SAMPLE] = fc.sample(change, { numRuns: 1, seed: 1 }) as [Change];

export interface ChangesToWrite {
  brokers: Brokers;
  topic: string;
  epoch: number;
  /** The number of changes; their sequences begin with 1. */
  count: number;
  /** The number of changes per request: those of one partition become one batch. */
  atOnce: number;
  partitionOf: (sequence: number) => number;
}

/** A change's value in the topic. Such changes differ only in their epoch, sequence and statement. */
export function encodeChange(
  epoch: number,
  sequence: number,
  statement: string | null = SAMPLE.endorsement.statement,
): Buffer {
  return changeCodec.encode({
    ...SAMPLE,
    epoch,
    sequence,
    endorsement: { ...SAMPLE.endorsement, statement },
  });
}

/** Writes changes that differ only in their sequence, as the relay would. */
export async function writeChanges({
  brokers,
  topic,
  epoch,
  count,
  atOnce,
  partitionOf,
}: ChangesToWrite): Promise<void> {
  const producer = createKafkaClient({ brokers, clientId: 'test' }).producer();
  await producer.connect();
  for (let sequence = 0; sequence < count; ) {
    const messages = Array.from({ length: Math.min(atOnce, count - sequence) }, () => {
      sequence += 1;
      return { key: 'bakers', partition: partitionOf(sequence), value: encodeChange(epoch, sequence) };
    });
    await producer.send({ topic, messages });
  }
  await producer.disconnect();
}
