/**
 * Bursts of records that cannot be applied. HOSTILE_BURST is the number of records of each burst.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { submissionCodec } from '../../schemas/submission.ts';
import type { OutsideProducer } from '../helpers/outside-client.ts';
import { startKafkajsClient } from '../helpers/outside-javascript.ts';
import { MAX_SECONDS } from '../helpers/producer-suite.ts';
import { useTestService } from '../helpers/service.ts';
import { bad, SubmissionLedger } from '../helpers/submission-ledger.ts';
import { endorse } from '../helpers/submissions.ts';

const BURST = Number(process.env.HOSTILE_BURST ?? 100_000);
const BATCH = 5000;

const service = useTestService();
const ledger = new SubmissionLedger(service);
let producer: OutsideProducer;

beforeAll(async () => {
  const client = startKafkajsClient(service.brokers, ledger.topic);
  producer = await client.open({ codec: 'zstd' });
});
afterAll(async () => {
  await Promise.all([producer.close(), ledger.close()]);
});

/** Sends the burst, then a good submission to every partition. @returns the seconds that those take */
async function burst(choosePartition: (index: number) => number, value: (index: number) => Buffer) {
  for (let sent = 0; sent < BURST; sent += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, BURST - sent) }, (_, index) => sent + index);
    await ledger.send(
      producer,
      indexes.map((index) => bad(choosePartition(index), value(index))),
    );
  }
  const seconds = await ledger.secondsUntilAllApplied();
  process.stderr.write(`after ${BURST} bad records: ${seconds.toFixed(1)} s to the next good ones\n`);
  return seconds;
}

test('INV-14: noise in every partition delays others in step with its size', async () => {
  const seconds = await burst(
    (index) => index % 12,
    () => randomBytes(40),
  );
  expect(seconds).toBeLessThan(Math.max(MAX_SECONDS, BURST / 10_000));
  await ledger.expectSettled(60_000);
}, 120_000);

test('INV-14: submissions by unknown endorsers do, too', async () => {
  const value = (index: number) => submissionCodec.encode(endorse(`nobody-${index}`, 'mayor', 'ann'));
  const seconds = await burst((index) => index % 12, value);
  expect(seconds).toBeLessThan(Math.max(MAX_SECONDS, BURST / 10_000));
  await ledger.expectSettled(60_000);
}, 120_000);
