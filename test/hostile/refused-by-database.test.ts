/** Submissions that keep every rule and that the database refuses all the same. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import type { OutsideProducer } from '../helpers/kafka/outside-client.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { MAX_SECONDS } from '../helpers/kafka/producer-suite.ts';
import { bad, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useTestService } from '../helpers/service/service.ts';

const service = useTestService();
const ledger = new SubmissionLedger(service);
let producer: OutsideProducer;

beforeAll(async () => {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(
    `ALTER TABLE endorsements ADD CONSTRAINT polite CHECK (statement IS NULL OR statement NOT LIKE 'Rude%')`,
  );
  await client.end();
  producer = await startKafkajsClient(service.brokers, ledger.topic).open();
});
afterAll(async () => {
  await Promise.all([producer.close(), ledger.close()]);
});

const rude = (index: number) =>
  bad(
    index % 12,
    submissionCodec.encode(endorse('coast-gazette', 'mayor', 'bob', { statement: `Rude ${index}` })),
  );

test.each([
  ['1,000 in a row', () => Array.from({ length: 1000 }, (_, index) => rude(index))],
  [
    '1,000 among as many good ones',
    () =>
      Array.from({ length: 2000 }, (_, index) => (index % 2 === 0 ? rude(index) : ledger.good(index % 12))),
  ],
])('INV-14: %s are rejected one by one, and hold up the others for seconds', async (name, records) => {
  await ledger.send(producer, records());
  const seconds = await ledger.secondsUntilAllApplied();
  process.stderr.write(`refused by the database, ${name}: ${seconds.toFixed(1)} s to the next good ones\n`);
  expect(seconds).toBeLessThan(MAX_SECONDS);
  await ledger.expectSettled();
  const rejections = await ledger.rejections();
  expect(new Set(rejections.map(({ code }) => code))).toEqual(new Set(['unstorable']));
});
