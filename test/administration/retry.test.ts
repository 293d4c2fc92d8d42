/** The choice of the submissions that a retry sends again, without consumers. */
import { beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { findChosen } from '../../administration/rejections/find-chosen.ts';
import { nameOf } from '../../administration/rejections/name.ts';
import { readRejections } from '../../administration/rejections/read-rejections.ts';
import { type RetryOutcome, retryChosen, retryNew } from '../../administration/rejections/retry.ts';
import { dismissChosen, findSettled, sendCorrection } from '../../administration/rejections/settle.ts';
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
import { findSettler, loadSettled, settleRejections } from '../../store/stream/settled-rejections.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { chooseTopicPrefix, createTestTopics } from '../helpers/kafka/topics.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { countWaiting, overlap } from '../helpers/postgres/overlap.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const ACTOR = { osUser: 'ada', person: null };
const { client, url } = useTestDatabase();
const pool = usePool(url);
const topicPrefix = chooseTopicPrefix();
const { submissions, rejected } = topicNames(topicPrefix);
const { brokers } = testServers();

beforeAll(async () => {
  await createTestTopics({ prefix: topicPrefix });
  await loadCatalogue(url, SMALL_BALLOT);
});

const retry = (onOutdated = (_: Rejection) => {}): Promise<RetryOutcome> =>
  inTransaction(pool, (on) => retryNew(on, { brokers, topicPrefix, onOutdated }, ACTOR));

const place = { brokers, topicPrefix };
const findNamed = (...names: string[]) => findChosen(place, names, 'Nothing was done');
const retryNamed = async (on: pg.ClientBase, names: string[]) =>
  retryChosen(on, place, await findNamed(...names), ACTOR);

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

  const chosen = (on: pg.ClientBase) => retryNamed(on, ['1/10']);
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
  const both = (on: pg.ClientBase) => retryNamed(on, ['1/60', '1/61']);
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

/** Puts rejections of noise into the rejected topic that are too large for one page. @returns their number */
async function rejectNoise(offset: number): Promise<number> {
  const producer = await openProducer(brokers, rejected);
  for (let each = offset; each < offset + 20; each += 1) {
    const value = rejectionCodec.encode({
      ...{ code: 'undecodable', message: 'No.', topic: submissions, partition: 1, last_offset: null },
      ...{ offset: each, rejected_at: Date.now(), value: Buffer.alloc(900_000), truncated: null },
    });
    await producer.send([{ key: 'nation-herald', value }]);
  }
  await producer.close();
  return 20;
}

test("rejections that are too large for one page are retried once, and another program's record counts in one page", async () => {
  const producer = await openProducer(brokers, rejected);
  await producer.send([{ key: 'noise', value: Buffer.from('noise') }]);
  await producer.close();
  await rejectNoise(5000);
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

const dismiss = async (...names: string[]) => {
  const chosen = await findNamed(...names);
  return inTransaction(pool, (on) => dismissChosen(on, place, chosen, ACTOR));
};
const audited = async () =>
  (await client.query('SELECT action, subject, details FROM audit_log ORDER BY id')).rows;

test('what an operator has dismissed or corrected is settled once, and no retry sends it', async () => {
  await retry();
  await client.query('TRUNCATE audit_log');
  const [left, wrong, other] = ['al', 'bo', 'cy'].map((key) => endorse('nation-herald', 'council', key));
  const correction = endorse('nation-herald', 'council', 'ann');
  const rejected_at = Date.parse('2026-05-03T10:00:00Z');
  await reject([left, wrong, other] as Submission[], { offset: 80, rejected_at });
  const nameOf = (offset: number) => `1/${offset}@2026-05-03T10:00:00.000Z`;

  await expect(dismiss('1/80', '1/4711')).rejects.toThrow(
    'origin 1/4711 is kept; "rejected list" shows them. Nothing was done.',
  );
  expect(await dismiss('1/80')).toBe(1);
  expect(await dismiss('1/80', nameOf(80))).toBe(0);
  const [rejection] = await findNamed('1/81');
  const correct = () =>
    inTransaction(pool, (on) =>
      sendCorrection(on, place, { rejection: rejection as Rejection, correction }, ACTOR),
    );
  await correct();
  await expect(correct()).rejects.toThrow('A correction of 1/81 was sent already. Nothing was sent.');
  expect(await audited()).toEqual([
    {
      ...{ action: 'submission.dismissed', subject: 'submission 1/80' },
      details: { topic: rejected, origins: [nameOf(80)] },
    },
    {
      ...{ action: 'submission.corrected', subject: 'submission 1/81' },
      details: {
        ...{ origin: nameOf(81), action: 'endorse', endorser: 'nation-herald' },
        ...{ contest: 'or-2026-11-03-general/council', choices: ['ann'] },
      },
    },
  ]);
  const kept: Rejection[] = [];
  for await (const page of readRejections({ brokers, topic: rejected })) {
    kept.push(...page.rejections.filter(({ offset }) => offset >= 80 && offset <= 82));
  }
  const settled = await findSettled(client, kept);
  expect(kept.map((rejection) => [rejection.offset, settled.get(rejection)])).toEqual([
    [80, 'dismissed'],
    [81, 'corrected'],
    [82, undefined],
  ]);
  expect(await retry()).toMatchObject({ sent: 1, settled: 2 });
  expect(await countSent(...([left, wrong, correction, other] as Submission[]))).toEqual([0, 0, 1, 1]);
  expect((await audited()).at(-1)).toMatchObject({ details: { sent: 1, settled: 2 } });

  // Somebody else corrects what was dismissed.
  const [dismissed] = await findNamed('1/80');
  await inTransaction(pool, (on) =>
    sendCorrection(on, place, { rejection: dismissed as Rejection, correction }, { ...ACTOR, person: 'bo' }),
  );
  expect(await findSettler(client, nameOf(80))).toMatchObject({ author: 'bo' });
});

test('nothing is dismissed or corrected while a retry runs, which might send it too', async () => {
  const [one, other] = ['al', 'bo'].map((key) => endorse('nation-herald', 'council', key));
  await reject([one, other] as Submission[], { offset: 110 });
  const chosen = await findNamed('1/110', '1/111');
  const retryOn = (on: pg.ClientBase) => retryNew(on, { brokers, topicPrefix }, ACTOR);
  const both = { rejection: chosen[0] as Rejection, correction: endorse('nation-herald', 'council', 'ann') };
  const settling = [
    (on: pg.ClientBase) => dismissChosen(on, place, chosen, ACTOR),
    (on: pg.ClientBase) => sendCorrection(on, place, both, ACTOR),
  ];
  for (const settle of settling) {
    await expect(overlap<unknown>(pool, retryOn, settle)).rejects.toThrow(
      'being sent again right now. Nothing was done',
    );
  }
  expect(await findSettled(client, chosen)).toEqual(new Map());
  expect(await dismiss('1/110', '1/111')).toBe(2);
});

test('two people who dismiss the same rejections in different orders both end, and each counts once', async () => {
  const rejected_at = Date.parse('2026-05-04T10:00:00Z');
  const given = ['al', 'bo', 'cy', 'di'].map((key) => endorse('nation-herald', 'council', key));
  await reject(given, { offset: 120, rejected_at });
  const chosen = await findNamed('1/120', '1/121', '1/122', '1/123');
  // Both have some of the rejections when they meet a third person.
  const settle = (on: pg.ClientBase) => settleRejections(on, [nameOf(chosen[2] as Rejection)], 'dismissed');
  let orders: Promise<number>[] = [];
  const undone = inTransaction(pool, async (on) => {
    await settle(on);
    orders = [chosen, chosen.toReversed()].map((order) =>
      inTransaction(pool, (other) => dismissChosen(other, place, order, ACTOR)),
    );
    await until('both to wait', async () => (await countWaiting(pool)) === 2);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect((await Promise.all(orders)).toSorted()).toEqual([0, 4]);
});

test('a submission whose last rejection was dismissed is not sent because of an earlier one', async () => {
  await retry();
  const twice = endorse('nation-herald', 'council', 'hal');
  await reject([twice, twice], { offset: 800 });
  await dismiss('1/801');
  expect(await retry()).toMatchObject({ sent: 0, superseded: 1, settled: 1 });
  expect(await countSent(twice)).toEqual([0]);
});

test('several that are dismissed together are one entry of the audit log, without those that were settled before', async () => {
  const rejected_at = Date.parse('2026-05-04T10:00:00Z');
  const three = ['eli', 'fay', 'gus'].map((key) => endorse('nation-herald', 'council', key));
  await reject(three, { offset: 84, rejected_at });
  await dismiss('1/85');
  await client.query('TRUNCATE audit_log');
  expect(await dismiss('1/84', '1/85', '1/86')).toBe(2);
  expect(await audited()).toEqual([
    {
      ...{ action: 'submission.dismissed', subject: 'rejected submissions' },
      details: { topic: rejected, origins: [84, 86].map((offset) => `1/${offset}@2026-05-04T10:00:00.000Z`) },
    },
  ]);
  const settlerOf = (offset: number) => findSettler(client, `1/${offset}@2026-05-04T10:00:00.000Z`);
  expect([await settlerOf(84), await settlerOf(85), await settlerOf(86)]).toMatchObject([
    { author: 'ada' },
    null,
    { author: 'ada' },
  ]);
});

test('a name that means several rejections chooses none of them, and with its time it chooses one', async () => {
  const [early, late] = [endorse('nation-herald', 'mayor', 'hal'), endorse('coast-gazette', 'mayor', 'hal')];
  const times = ['2026-05-05T10:00:00.000Z', '2026-05-06T10:00:00.000Z'];
  await reject([early], { offset: 90, rejected_at: Date.parse(times[0] ?? '') });
  await reject([late], { offset: 90, rejected_at: Date.parse(times[1] ?? '') });
  await expect(dismiss('1/90')).rejects.toThrow(
    `2 different rejected submissions have the origin 1/90. Nothing was done. Add the time of the one that you mean: ` +
      `1/90@${times[0]} (nation-herald, or-2026-11-03-general/mayor), 1/90@${times[1]} (coast-gazette, or-2026-11-03-general/mayor).`,
  );
  const choose = (name: string) => inTransaction(pool, (on) => retryNamed(on, [name]));
  await expect(choose('1/90')).rejects.toThrow('Nothing was done. Add the time');
  expect(await choose(`1/90@${times[1]}`)).toBe(1);
  expect(await countSent(early, late)).toEqual([0, 1]);
});

test('a shortened submission cannot be chosen, and the message says who must send it', async () => {
  const truncated = { size: 9_000_000, sha256: Buffer.alloc(32) };
  await reject([endorse('nation-herald', 'mayor', 'ida')], { offset: 95, truncated });
  const chosen = (on: pg.ClientBase) => retryNamed(on, ['1/95']);
  await expect(inTransaction(pool, chosen)).rejects.toThrow(
    'Only the beginning of 1/95 is kept, so it cannot be sent again: its producer must send it. Nothing was sent.',
  );
});

test('of equal submissions on different pages only the last rejection counts too', async () => {
  await retry();
  const again = endorse('nation-herald', 'mayor', 'kit');
  await reject([again], { offset: 96, rejected_at: Date.now() - HOUR_MS });
  const unreadable = await rejectNoise(6000);
  await reject([again], { offset: 97 });
  const io = createIo({
    DATABASE_URL: url,
    KAFKA_BROKERS: brokers.addresses.join(','),
    TOPIC_PREFIX: topicPrefix,
  });
  await createRunner('rejected')(['list'], io);
  const listed = io.printed.map((line) => JSON.parse(line)).filter(({ picks }) => picks?.[0] === 'kit');
  expect(listed).toMatchObject([{ origin: { offset: 97 } }]);
  expect(await retry()).toMatchObject({ sent: 1, superseded: 1, unreadable });
  expect(await countSent(again)).toEqual([1]);
});

test('a dismissal is kept for longer than Kafka keeps its rejection, and then forgotten', async () => {
  const days = [39, 41];
  const names = days.map((age) => `9/${age}@2026-05-05T10:00:00.000Z`);
  await settleRejections(client, names, 'dismissed');
  await client.query(
    `UPDATE settled_rejections SET settled_at = now() - age * interval '1 day'
     FROM unnest($1::text[], $2::int[]) AS aged (aged_name, age) WHERE name = aged_name`,
    [names, days],
  );
  await settleRejections(client, ['9/1@2026-05-05T10:00:00.000Z'], 'dismissed');
  expect([...(await loadSettled(client, names)).keys()]).toEqual(names.slice(0, 1));
});
