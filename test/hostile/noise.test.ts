/** Records of every size that are not submissions. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OutsideProducer } from '../helpers/kafka/outside-client.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { bad, PARTITIONS, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useTestService } from '../helpers/service/service.ts';

/** The largest value in a topic's default limit of 1,048,588 bytes per batch. */
const LARGEST_VALUE = 1_048_498;

const service = useTestService({ partitions: PARTITIONS });
const ledger = new SubmissionLedger(service);
let plain: OutsideProducer;
let zipped: OutsideProducer;

beforeAll(async () => {
  const client = startKafkajsClient(service.brokers, ledger.topic);
  [plain, zipped] = await Promise.all([client.open(), client.open({ codec: 'gzip' })]);
});
afterAll(async () => {
  await Promise.all([plain.close(), zipped.close(), ledger.close()]);
});

async function expectOthersApplied(): Promise<void> {
  await ledger.untilProbesApplied();
  await ledger.expectSettled();
}

test('INV-14: noise of every size up to the largest is rejected', async () => {
  for (const size of [10, 1000, 100_000, 1_000_000, LARGEST_VALUE]) {
    await ledger.send(plain, [bad(size % PARTITIONS, randomBytes(size), { key: null })]);
  }
  await expectOthersApplied();
  const kept = (await ledger.rejections()).map(({ value, truncated }) => [truncated?.size, value?.length]);
  // Noise is never valid, so only its beginning is kept.
  expect(kept).toContainEqual([LARGEST_VALUE, 65_536]);
  expect(kept).toContainEqual([undefined, 1000]);
});

test('INV-14: texts in JSON with one key, together larger than a request for rejections, are rejected', async () => {
  const text = JSON.stringify({ endorser: 'bakers-local-1', note: 'x'.repeat(950 - 39) });
  expect(text).toHaveLength(950);
  for (let batch = 0; batch < 80; batch += 1) {
    await ledger.send(
      plain,
      Array.from({ length: 16 }, () => bad(5, Buffer.from(text))),
    );
  }
  await expectOthersApplied();
});

test('INV-14: twenty values of 100 KB of zeros in a batch of gzip are rejected', async () => {
  await ledger.send(
    zipped,
    Array.from({ length: 20 }, () => bad(6, Buffer.alloc(100_000))),
  );
  await expectOthersApplied();
});
