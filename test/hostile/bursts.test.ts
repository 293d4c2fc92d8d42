/**
 * Bursts of records that cannot be applied. HOSTILE_BURST is the number of records of each burst.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import type { OutsideProducer } from '../helpers/kafka/outside-client.ts';
import { startPlatformaticClient } from '../helpers/kafka/outside-javascript.ts';
import { MAX_SECONDS } from '../helpers/kafka/producer-suite.ts';
import { bad, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useTestService } from '../helpers/service/service.ts';

const BURST = Number(process.env.HOSTILE_BURST ?? 20_000);
/** On a machine that does other work as well. */
const MAX_SECONDS_PER_RECORD = 1 / 5000;
const BATCH = 5000;

const service = useTestService();
const ledger = new SubmissionLedger(service);
let producer: OutsideProducer;

beforeAll(async () => {
  const client = startPlatformaticClient(service.brokers, ledger.topic);
  producer = await client.open({ codec: 'zstd' });
});
afterAll(async () => {
  await Promise.all([producer.close(), ledger.close()]);
});

/** Sends bad records to all partitions, then a good one to each. */
async function burst(count: number, value: (index: number) => Buffer): Promise<void> {
  for (let sent = 0; sent < count; sent += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, count - sent) }, (_, index) => sent + index);
    await ledger.send(
      producer,
      indexes.map((index) => bad(index % 12, value(index))),
    );
  }
  const seconds = await ledger.secondsUntilAllApplied();
  process.stderr.write(`after ${count} bad records: ${seconds.toFixed(1)} s to the next good ones\n`);
  expect(seconds).toBeLessThan(MAX_SECONDS + count * MAX_SECONDS_PER_RECORD);
  await ledger.expectSettled(60_000);
}

test('INV-14: a burst of noise delays the next submissions in step with its size', async () => {
  await burst(BURST, () => randomBytes(40));
}, 120_000);

test('INV-14: submissions by unknown endorsers do, too', async () => {
  await burst(BURST / 4, (index) => submissionCodec.encode(endorse(`nobody-${index}`, 'mayor', 'ann')));
}, 120_000);
