/** Submissions that keep every rule, but that the database refuses. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import type { OutsideProducer } from '../helpers/kafka/outside-client.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { bad, PARTITIONS, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useTestService } from '../helpers/service/service.ts';

const service = useTestService({ partitions: PARTITIONS });
const ledger = new SubmissionLedger(service);
let producer: OutsideProducer;

/** A rule of the database that counts its refusals, in a sequence, which outlives rollbacks. */
const RULE = `
  CREATE SEQUENCE refused MINVALUE 0 START 0;
  SELECT nextval('refused');
  CREATE FUNCTION is_polite(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF statement LIKE 'Rude%' THEN
      PERFORM nextval('refused');
      RETURN false;
    END IF;
    RETURN true;
  END $$;
  ALTER TABLE endorsements ADD CONSTRAINT polite CHECK (is_polite(statement));
`;

async function countRefused(): Promise<number> {
  const [row] = await service.query('SELECT last_value::int AS count FROM refused');
  return Number(row?.count);
}

beforeAll(async () => {
  await service.query(RULE);
  producer = await startKafkajsClient(service.brokers, ledger.topic).open();
});
afterAll(async () => {
  await Promise.all([producer.close(), ledger.close()]);
});

const rude = (index: number) =>
  bad(
    index % PARTITIONS,
    submissionCodec.encode(endorse('coast-gazette', 'mayor', 'bob', { statement: `Rude ${index}` })),
    { key: Buffer.from('coast-gazette') },
  );

test.each([
  ['1,000 in a row', () => Array.from({ length: 1000 }, (_, index) => rude(index))],
  [
    '1,000 among as many good ones',
    () =>
      Array.from({ length: 2000 }, (_, index) =>
        index % 2 === 0 ? rude(index) : ledger.good(index % PARTITIONS),
      ),
  ],
])('INV-14: %s are rejected one by one, in little more attempts than submissions', async (_, records) => {
  const before = await countRefused();
  await ledger.send(producer, records());
  await ledger.untilProbesApplied();
  await ledger.expectSettled();
  expect((await countRefused()) - before).toBeLessThan(3 * 1000);
  const rejections = await ledger.rejections();
  expect(new Set(rejections.map(({ code }) => code))).toEqual(new Set(['unstorable']));
});
