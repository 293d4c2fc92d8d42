/** Bursts of records that cannot be applied. HOSTILE_BURST is the number of records of each burst. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import type { OutsideProducer } from '../helpers/kafka/outside-client.ts';
import { startPlatformaticClient } from '../helpers/kafka/outside-javascript.ts';
import { bad, type LedgerRecord, PARTITIONS, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useTestService } from '../helpers/service/service.ts';

const BURST = Number(process.env.HOSTILE_BURST ?? 20_000);
/** The most times longer that the next good submissions may wait than after as many good ones. */
const MAX_RATIO = 10;
const BATCH = 5000;

const service = useTestService({ partitions: PARTITIONS });
const ledger = new SubmissionLedger(service);
let producer: OutsideProducer;

beforeAll(async () => {
  const client = startPlatformaticClient(service.brokers, ledger.topic);
  producer = await client.open({ codec: 'zstd' });
});
afterAll(async () => {
  await Promise.all([producer.close(), ledger.close()]);
});

/** Sends records to all partitions, then a good one to each. @returns how long the last ones take, in milliseconds */
async function burst(count: number, record: (index: number) => LedgerRecord): Promise<number> {
  for (let sent = 0; sent < count; sent += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, count - sent) }, (_, index) => sent + index);
    await ledger.send(producer, indexes.map(record));
  }
  const took = await ledger.untilProbesApplied();
  await ledger.expectSettled();
  return took;
}

/** Compares a burst of bad records with one of as many good ones. */
async function expectInStep(
  count: number,
  value: (index: number) => Buffer,
  keyOf = (_: number) => Buffer.from('nobody'),
): Promise<void> {
  const good = await burst(count, (index) => ledger.good(index % PARTITIONS));
  const noise = await burst(count, (index) => bad(index % PARTITIONS, value(index), { key: keyOf(index) }));
  process.stderr.write(
    `after ${count} bad records, ${(noise / good).toFixed(1)} times as long as after good ones\n`,
  );
  expect(noise / good).toBeLessThan(MAX_RATIO);
}

test('INV-14: the delay after a burst of noise grows only with its size', async () => {
  await expectInStep(BURST, () => randomBytes(40));
});

test('INV-14: the delay after submissions by unknown endorsers grows only with their number', async () => {
  await expectInStep(
    BURST / 4,
    (index) => submissionCodec.encode(endorse(`nobody-${index}`, 'mayor', 'ann')),
    (index) => Buffer.from(`nobody-${index}`),
  );
});
