import { expect, test } from '@jest/globals';
import type { Connection } from '@platformatic/kafka';
import { requestFetchVersion } from '../../../kafka/protocol/fetch.ts';

/** A connection to a broker with Fetch up to a version. */
function connectionTo(maxVersion: number): Connection {
  const apiKeys = [
    { apiKey: 0, minVersion: 3, maxVersion: 99 },
    { apiKey: 1, minVersion: 4, maxVersion },
  ];
  type Answered = (error: null, answer: { apiKeys: typeof apiKeys }) => void;
  const send = (...request: unknown[]) => (request.at(-1) as Answered)(null, { apiKeys });
  return { send } as unknown as Connection;
}

test.each([
  ['of Kafka 3.1', 13, 13],
  ['of Kafka 3.5', 15, 15],
  ['of a future Kafka', 99, 17],
])('the newest version of both sides is used: %s', async (_, newest, expected) => {
  expect(await requestFetchVersion(connectionTo(newest))).toBe(expected);
});

test('a broker before Kafka 3.1 is refused', async () => {
  await expect(requestFetchVersion(connectionTo(12))).rejects.toThrow('older than Kafka 3.1');
});
