import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { partitionOfKey } from '../../../kafka/writing/key-partition.ts';
import { splitIntoRequests } from '../../../kafka/writing/split-requests.ts';

const record = fc.record({
  key: fc.string(),
  value: fc.uint8Array({ maxLength: 60 }).map((v) => Buffer.from(v)),
});

test('requests keep the order and bound the bytes of each partition', () => {
  fc.assert(
    fc.property(fc.array(record), fc.integer({ min: 1, max: 5 }), (records, partitions) => {
      const requests = [...splitIntoRequests(records, partitions, 100)];
      expect(requests.flat()).toEqual(records);
      for (const request of requests) {
        const batches = Map.groupBy(request, ({ key }) => partitionOfKey(key, partitions)).values();
        for (const batch of batches) {
          expect(batch.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThanOrEqual(100);
        }
      }
    }),
  );
});

test('a request ends only when a partition is full', () => {
  const records = Array.from({ length: 40 }, (_, index) => ({ key: `k${index}`, value: Buffer.alloc(10) }));
  expect([...splitIntoRequests(records, 100, 100)]).toHaveLength(1);
  expect([...splitIntoRequests(records, 1, 100)].map(({ length }) => length)).toEqual([10, 10, 10, 10]);
});

test('a record larger than a batch is still sent', () => {
  const [small, large] = [5, 500].map((size) => ({ key: 'a', value: Buffer.alloc(size) }));
  expect([
    ...splitIntoRequests(
      [small, large, small].filter((each) => each !== undefined),
      1,
      100,
    ),
  ]).toEqual([[small], [large], [small]]);
});

test('keys have the partitions that kafkajs gives them', () => {
  const choose = Partitioners.DefaultPartitioner();
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 100 }), (key, partitions) => {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
        partitionId,
        leader: 0,
        partitionErrorCode: 0,
        replicas: [],
        isr: [],
      }));
      const wanted = choose({ topic: 't', partitionMetadata, message: { key, value: null } });
      expect([partitionOfKey(key, partitions), partitionOfKey(key, partitions)]).toEqual([wanted, wanted]);
    }),
  );
});
