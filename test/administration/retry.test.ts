/** The choice of the submissions that a retry sends again, without consumers. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readRejections } from '../../administration/rejections/read-rejections.ts';
import { type RetryOutcome, retryChosen, retryNew } from '../../administration/rejections/retry.ts';
import { readTopic } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import {
  type Rejection,
  rejectionCodec,
  type Submission,
  submissionCodec,
} from '../../schemas/submission.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { chooseTopicPrefix, createTestTopics } from '../helpers/kafka/topics.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';
import { testServers } from '../helpers/servers/servers.ts';

const HOUR_MS = 3_600_000;
const ACTOR = { osUser: 'ada', person: null };
const { client, url } = useTestDatabase();
const pool = new pg.Pool({ connectionString: url });
const topicPrefix = chooseTopicPrefix();
const { submissions, rejected } = topicNames(topicPrefix);
const { brokers } = testServers();

beforeAll(async () => {
  await createTestTopics({ prefix: topicPrefix });
  await loadCatalogue(url, SMALL_BALLOT);
});
afterAll(() => pool.end());

const retry = (onOutdated = (_: Rejection) => {}): Promise<RetryOutcome> =>
  inTransaction(pool, (on) => retryNew(on, { brokers, topicPrefix, onOutdated }, ACTOR));

/** Puts rejections of submissions into the rejected topic, the first one with the origin 1/offset. */
async function reject(
  submitted: readonly Submission[],
  { offset = 0, ...values }: Partial<Rejection> = {},
): Promise<void> {
  const producer = await openProducer(brokers, rejected);
  const messages = submitted.map((submission, index) => ({
    key: submission.endorser,
    value: rejectionCodec.encode({
      ...{ code: 'unknown_choice', message: 'No.', topic: submissions, partition: 1, last_offset: null },
      ...{ rejected_at: Date.now(), value: submissionCodec.encode(submission), truncated: null },
      ...{ ...values, offset: offset + index },
    }),
  }));
  await producer.send(messages);
  await producer.close();
}

/** How many times each submission has been sent. */
async function countSent(...submitted: Submission[]): Promise<number[]> {
  const sent: string[] = [];
  for await (const { records } of readTopic({ brokers, topic: submissions, clientId: 'test' })) {
    sent.push(...records.map(({ value }) => String(value?.toString('hex'))));
  }
  const wanted = submitted.map((submission) => submissionCodec.encode(submission).toString('hex'));
  return wanted.map((value) => sent.filter((each) => each === value).length);
}

test('a skipped submission is not sent again, even if its position has not changed since, unless it is chosen', async () => {
  const skipped = endorse('coast-gazette', 'mayor', 'cyd');
  const other = endorse('coast-gazette', 'mayor', 'zed');
  await reject([skipped], { code: 'skipped', offset: 10 });
  await reject([other], { offset: 11 });
  expect(await retry()).toEqual({
    sent: 1,
    unreadable: 0,
    skipped: 1,
    outdated: 0,
    superseded: 0,
    settled: 0,
  });
  expect(await countSent(skipped, other)).toEqual([0, 1]);

  const chosen = (on: pg.ClientBase) => retryChosen(on, { brokers, topicPrefix }, ['1/10'], ACTOR);
  expect(await inTransaction(pool, chosen)).toBe(1);
  expect(await countSent(skipped)).toEqual([1]);
});

test('of two submissions, the one whose position has changed since is left out, and the other one is sent', async () => {
  await applySubmissions(client, endorse('bakers-local-1', 'mayor', 'ann'));
  const left = endorse('bakers-local-1', 'mayor', 'zed');
  const sent = endorse('bakers-local-1', 'council', 'zed');
  await reject([left, sent], { offset: 20, rejected_at: Date.now() - HOUR_MS });
  const outdated: Rejection[] = [];
  const outcome = await retry((rejection) => outdated.push(rejection));
  expect(outcome).toMatchObject({ sent: 1, outdated: 1 });
  expect(outdated).toMatchObject([{ offset: 20 }]);
  expect(await countSent(left, sent)).toEqual([0, 1]);
});

test('unreadable, empty and shortened submissions are counted and not sent, and the one between them is', async () => {
  const short = endorse('coast-gazette', 'sheriff', 'zed');
  const between = endorse('coast-gazette', 'prop-1', 'zed');
  await reject([short], { offset: 40, value: Buffer.from('noise') });
  await reject([between], { offset: 41 });
  await reject([short], { offset: 42, value: null });
  await reject([short], { offset: 43, truncated: { size: 9_000_000, sha256: Buffer.alloc(32) } });
  expect(await retry()).toEqual({
    sent: 1,
    unreadable: 3,
    skipped: 0,
    outdated: 0,
    superseded: 0,
    settled: 0,
  });
  expect(await countSent(short, between)).toEqual([0, 1]);
});

test('of two retries at the same time, the second one waits, sends nothing twice, and is not in the audit log', async () => {
  const one = endorse('nation-herald', 'mayor', 'zed');
  await reject([one], { offset: 50 });
  await client.query('TRUNCATE audit_log');
  const retryOn = (on: pg.ClientBase) => retryNew(on, { brokers, topicPrefix }, ACTOR);
  expect(await overlap(pool, retryOn, retryOn)).toMatchObject({ sent: 0 });
  expect(await countSent(one)).toEqual([1]);
  const { rows } = await client.query('SELECT action FROM audit_log');
  expect(rows).toEqual([{ action: 'submission.retried' }]);
});

test('of several chosen submissions none is sent if one of them is not kept', async () => {
  const kept = endorse('nation-herald', 'council', 'zed');
  await reject([kept], { offset: 60 });
  await retry();
  const both = (on: pg.ClientBase) => retryChosen(on, { brokers, topicPrefix }, ['1/60', '1/61'], ACTOR);
  await expect(inTransaction(pool, both)).rejects.toThrow('origin 1/61 is kept');
  expect(await countSent(kept)).toEqual([1]);
});

test('every one of many submissions is sent once', async () => {
  const many = Array.from({ length: 1100 }, (_, index) =>
    endorse('coast-gazette', 'mayor', 'zed', { statement: `Statement ${index}.` }),
  );
  await reject(many, { offset: 1000 });
  expect(await retry()).toMatchObject({ sent: 1100 });
  expect(new Set(await countSent(...many))).toEqual(new Set([1]));
});

test("rejections that are too large for one page are retried once, and another program's record counts in one page", async () => {
  const producer = await openProducer(brokers, rejected);
  await producer.send([{ key: 'noise', value: Buffer.from('noise') }]);
  for (let offset = 5000; offset < 5020; offset += 1) {
    const value = rejectionCodec.encode({
      ...{ code: 'undecodable', message: 'No.', topic: submissions, partition: 1, offset, last_offset: null },
      ...{ rejected_at: Date.now(), value: Buffer.alloc(900_000), truncated: null },
    });
    await producer.send([{ key: 'large', value }]);
  }
  await producer.close();
  const strangers: number[] = [];
  for await (const page of readRejections({ brokers, topic: rejected })) strangers.push(page.strangers);
  expect(strangers.length).toBeGreaterThan(1);
  expect(strangers.filter((count) => count > 0)).toEqual([1]);
  expect(await retry()).toMatchObject({ sent: 0, unreadable: 20 });
  expect(await retry()).toMatchObject({ sent: 0, unreadable: 0 });
});

test('after the rejected topic was made anew, a retry begins at its beginning', async () => {
  const one = endorse('coast-gazette', 'council', 'zed');
  await reject([one], { offset: 30 });
  await retry();
  expect(await retry()).toMatchObject({ sent: 0 });
  await client.query('UPDATE consumed_topics SET topic_id = $2 WHERE topic = $1', [rejected, 'the former']);
  await retry();
  expect(await countSent(one)).toEqual([2]);
});

test('of equal submissions only the last rejection counts, and the others are named', async () => {
  await retry();
  const [twice, once] = [endorse('nation-herald', 'mayor', 'eve'), endorse('nation-herald', 'mayor', 'ivy')];
  await reject([twice, once], { offset: 60 });
  expect(await retry()).toMatchObject({ sent: 2, superseded: 0, settled: 0 });
  // Both are rejected again, one of them after a person has sent it again as well.
  await reject([twice, once, twice], { offset: 62 });
  expect(await retry()).toMatchObject({ sent: 2, superseded: 1, settled: 0 });
  expect(await countSent(twice, once)).toEqual([2, 2]);
});
