import { expect, test } from '@jest/globals';
import type { Message, ProducerRecord } from 'kafkajs';
import { sendAll } from '../../../kafka/writing/send-all.ts';

const MESSAGES: Message[] = ['a', 'b', 'c', 'd'].map((value) => ({ value }));

/** A producer that acknowledges these partitions, one list for each request. Message n is for partition n. */
function createProducer(acknowledged: number[][]) {
  const chosen = new Map<unknown, number>();
  const requests: unknown[][] = [];
  return {
    chosen,
    requests,
    async send({ messages }: ProducerRecord) {
      requests.push(messages.map(({ value }) => value));
      for (const message of messages) chosen.set(message, MESSAGES.indexOf(message));
      const partitions = acknowledged.shift() ?? [];
      return partitions.map((partition) => ({ topicName: 't', partition, errorCode: 0, baseOffset: '7' }));
    },
  };
}

test('only messages of unacknowledged partitions are sent again', async () => {
  const producer = createProducer([[0, 2], [3], [1]]);
  const answers = await sendAll(producer, { topic: 't', messages: MESSAGES, chosen: producer.chosen });
  expect(producer.requests).toEqual([['a', 'b', 'c', 'd'], ['b', 'd'], ['b']]);
  expect(answers.map(({ partition }) => partition)).toEqual([0, 2, 3, 1]);
  expect([...producer.chosen.values()]).toEqual([0, 1, 2, 3]);
});

test('a request that acknowledges nothing is an error', async () => {
  const producer = createProducer([[0, 1], []]);
  const sending = sendAll(producer, { topic: 't', messages: MESSAGES, chosen: producer.chosen });
  await expect(sending).rejects.toThrow('Kafka acknowledged no partition of t.');
});

test('two concurrent sends do not disturb each other', async () => {
  const producer = createProducer([[0], [1]]);
  const held = Promise.withResolvers<void>();
  const slow = {
    async send(record: ProducerRecord) {
      const answers = await producer.send(record);
      await held.promise;
      return answers;
    },
  };
  const [a, b] = MESSAGES as [Message, Message];
  const first = sendAll(slow, { topic: 't', messages: [a], chosen: producer.chosen });
  const second = sendAll(slow, { topic: 't', messages: [b], chosen: producer.chosen });
  held.resolve();
  await expect(Promise.all([first, second])).resolves.toHaveLength(2);
  expect(producer.requests).toEqual([['a'], ['b']]);
});
