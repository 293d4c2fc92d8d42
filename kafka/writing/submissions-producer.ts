import { formatSender, formatTraceparent } from '../../schemas/record-headers.ts';
import type { Brokers } from '../../service/brokers.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { currentTraceparent, traceMessages } from '../../service/tracing.ts';
import type { OutgoingRecord } from '../protocol/write-batch.ts';
import { TopicWriter } from './topic-writer.ts';

export interface Message {
  key: string;
  value: Buffer;
}

/** A message's place in its topic. */
export interface Place {
  partition: number;
  offset: number;
}

export interface MessageProducer {
  /**
   * Resolves when every in-sync replica has the messages. Calls take turns.
   *
   * @param sender the name of the sender, which becomes that of the changes; by default none
   * @returns the place of each message, in their order; those of a partition stay in order
   * @throws KafkaRefusal if Kafka refuses this process, and the client's error otherwise. Kafka may have some or all of
   *   the messages then. No further attempt follows, and the next call works again when Kafka does.
   */
  send(messages: readonly Message[], sender?: string): Promise<Place[]>;
  /** Kafka's id of the topic. @throws as `send` does */
  identifyTopic(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens a producer for one topic that keeps order and sends no duplicates within its own retries.
 *
 * @param retryMs no attempt begins later than this after the first, in milliseconds
 * @throws as `send` does
 */
export async function openProducer(
  brokers: Brokers,
  topic: string,
  retryMs?: number,
): Promise<MessageProducer> {
  const writer = new TopicWriter({
    ...{ brokers, topic, clientId: 'ballot-endorsements-submit' },
    ...(retryMs !== undefined && { retryMs }),
  });
  try {
    await writer.connect();
  } catch (error) {
    await writer.close();
    throw error;
  }
  const send = async (messages: readonly Message[], sender: string | null): Promise<Place[]> => {
    const headers = { ...formatTraceparent(currentTraceparent()), ...formatSender(sender) };
    const records = messages.map(({ key, value }): OutgoingRecord => ({ key, value, headers }));
    return placesOf(records, await writer.send(records), topic);
  };
  /** Settles when the calls so far have ended. */
  let turn: Promise<unknown> = Promise.resolve();
  return {
    send(messages, sender) {
      const work = () => ({
        name: `send ${topic}`,
        kind: 'producer' as const,
        traceparents: [],
        attributes: { 'messaging.batch.message_count': messages.length },
      });
      const sending = turn.then(() => traceMessages(work, () => send(messages, sender ?? null)));
      turn = sending.catch(() => {});
      return sending;
    },
    identifyTopic: () => writer.identifyTopic(),
    close: () => writer.close(),
  };
}

type Acknowledgements = Awaited<ReturnType<TopicWriter['send']>>;

/** @throws KafkaUnavailableError if Kafka has a batch and does not say where */
function placesOf(
  records: readonly OutgoingRecord[],
  acknowledged: Acknowledgements,
  topic: string,
): Place[] {
  const places = new Map<OutgoingRecord, Place>();
  for (const { partition, baseOffset, records: own } of acknowledged) {
    if (baseOffset < 0) throw new KafkaUnavailableError(`Kafka does not say where ${topic} has a batch.`);
    own.forEach((record, index) => {
      places.set(record, { partition, offset: baseOffset + index });
    });
  }
  return records.map((record) => places.get(record) as Place);
}
