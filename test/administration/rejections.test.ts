import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { measureLag } from '../../administration/lag.ts';
import { findChosen } from '../../administration/rejections/find-chosen.ts';
import { findMended } from '../../administration/rejections/find-mended.ts';
import { nameOf } from '../../administration/rejections/name.ts';
import { readRejections } from '../../administration/rejections/read-rejections.ts';
import { loadRecentRejections } from '../../administration/rejections/recent.ts';
import { retryChosen, retryNew, type TopicsPlace } from '../../administration/rejections/retry.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';
import type { Brokers } from '../../service/brokers.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { loadAllRejections } from '../helpers/kafka/all-rejections.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const service = useTestService({ partitions: 2 });
const { brokers, topicPrefix } = service;
const { rejected: topic } = topicNames(topicPrefix);
const kafka = { brokers, topicPrefix };
const ACTOR = { osUser: 'ada', person: null };

/** A page of the console works with a pool. */
let pool: pg.Pool;

beforeAll(() => {
  pool = new pg.Pool({ connectionString: service.databaseUrl });
});
afterAll(() => pool.end());
beforeEach(async () => {
  await pool.query('TRUNCATE audit_log');
});

const kept = async (): Promise<Rejection[]> => (await loadAllRejections({ brokers, topic })).rejections;

const originOf = ({ partition, offset }: Rejection): string => `${partition}/${offset}`;

async function audited(): Promise<unknown[]> {
  const { rows } = await pool.query('SELECT os_user, action, subject, details FROM audit_log ORDER BY id');
  return rows;
}

/** Submits an unknown choice, and waits for the rejection. */
async function reject(): Promise<Rejection> {
  const before = new Set((await kept()).map(originOf));
  await service.submit([endorse('nation-herald', 'mayor', 'zed')]);
  let rejection: Rejection | undefined;
  await until('the rejection', async () => {
    rejection = (await kept()).find((one) => !before.has(originOf(one)));
    return rejection !== undefined;
  });
  return rejection as Rejection;
}

test('a retry of new rejections is in the audit log with its author and counts, unless it met no rejection', async () => {
  await reject();
  const outcome = await inTransaction(pool, (client) => retryNew(client, kafka, ACTOR));
  expect(outcome).toEqual({ sent: 1, unreadable: 0, skipped: 0, outdated: 0, superseded: 0, settled: 0 });
  expect(await audited()).toEqual([
    {
      os_user: 'ada',
      action: 'submission.retried',
      subject: 'rejected submissions',
      details: { topic, sent: 1, unreadable: 0, skipped: 0, outdated: 0, superseded: 0, settled: 0 },
    },
  ]);
  await until('it is rejected anew', async () => (await kept()).length === 2);
  await inTransaction(pool, (client) => retryNew(client, kafka, ACTOR));
  expect(await audited()).toHaveLength(2);
  await until('it is rejected once more', async () => (await kept()).length === 3);
});

test('a retry whose transaction fails is not in the audit log, and the next one sends the same', async () => {
  await reject();
  const failed = inTransaction(pool, async (client) => {
    const { sent } = await retryNew(client, kafka, ACTOR);
    expect(sent).toBeGreaterThan(0);
    throw new Error('The commit fails.');
  });
  await expect(failed).rejects.toThrow('The commit fails.');
  expect(await audited()).toEqual([]);
  const { sent } = await inTransaction(pool, (client) => retryNew(client, kafka, ACTOR));
  expect(sent).toBeGreaterThan(0);
});

test('a retry of chosen submissions is in the audit log with their origins', async () => {
  const rejection = await reject();
  const origin = originOf(rejection);
  const retry = async (name: string) => {
    const chosen = await findChosen(kafka, [name], 'Nothing was sent');
    return inTransaction(pool, (client) => retryChosen(client, kafka, chosen, ACTOR));
  };
  expect(await retry(origin)).toBe(1);
  expect(await audited()).toEqual([
    {
      os_user: 'ada',
      action: 'submission.retried',
      subject: `submission ${origin}`,
      details: { topic, sent: 1, origins: [nameOf(rejection)] },
    },
  ]);
  await expect(retry('0/4711')).rejects.toThrow('No rejected submission of origin 0/4711 is kept');
  expect(await audited()).toHaveLength(1);
});

describe('a topic of large rejections', () => {
  const SIZE = 1_500_000;
  const large = (offset: number): Rejection => ({
    ...{ code: 'unknown_endorser', message: 'No.', topic: 'submissions', partition: 0, offset },
    ...{ rejected_at: 1000 + offset, last_offset: null, truncated: null, value: Buffer.alloc(SIZE, offset) },
  });
  let place: TopicsPlace;
  let largeTopic: { brokers: Brokers; topic: string };

  beforeAll(async () => {
    const topics = await createTestTopics();
    place = { brokers, topicPrefix: topics.prefix };
    largeTopic = { brokers, topic: topicNames(topics.prefix).rejected };
    const producer = await openProducer(brokers, largeTopic.topic);
    // The keys go to two partitions; a crash has sent the third one twice.
    for (const offset of [...Array(20).keys(), 2]) {
      await producer.send([{ key: `key-${offset % 2}`, value: rejectionCodec.encode(large(offset)) }]);
    }
    await producer.close();
  });

  test('INV-15: is read in pages of some megabytes, without duplicates', async () => {
    const pages: number[][] = [];
    const sizes: number[] = [];
    let ends: ReadonlyMap<number, number> = new Map();
    for await (const page of readRejections(largeTopic)) {
      pages.push(page.rejections.map(({ offset }) => offset));
      sizes.push(page.rejections.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
      ends = page.ends;
    }
    expect(Math.max(...sizes)).toBeLessThan(17_000_000);
    // The last page has the rest.
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(8_000_000);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat().sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
    for (const page of pages) expect(page).toEqual(page.toSorted((a, b) => a - b));
    expect([...ends.values()].reduce((sum, end) => sum + end, 0)).toBe(21);
  });

  test('is listed and counted by the command, page by page', async () => {
    const io = createIo({ KAFKA_BROKERS: brokers.addresses.join(','), TOPIC_PREFIX: place.topicPrefix });
    await createRunner('rejected')(['list', '--all'], io);
    expect([io.printed.length, io.told]).toEqual([20, ['20 rejected submissions are kept.']]);
  });

  test('INV-15: shows its newest, fewer because they are large', async () => {
    const { rejections, before } = await loadRecentRejections(place, 200);
    expect(before).not.toBeNull();
    expect(rejections.length).toBeLessThanOrEqual(8);
    expect(rejections.map(({ offset }) => offset)).toContain(19);
  });

  test('INV-15: is shown in pages, the newest first, without a rejection that is missing', async () => {
    const pages: number[][] = [];
    let before: ReadonlyMap<number, number> | null = null;
    do {
      const page = await loadRecentRejections(place, 200, before);
      pages.push(page.rejections.map(({ offset }) => offset));
      ({ before } = page);
    } while (before);
    expect(pages.length).toBeGreaterThan(2);
    expect(new Set(pages.flat())).toEqual(new Set(Array(20).keys()));
    // The crash has sent one of them twice.
    expect(pages.flat().length).toBeLessThanOrEqual(21);
  });

  test('is shown whole if it is small enough', async () => {
    const { rejections, before } = await loadRecentRejections(kafka, 200);
    expect(before).toBeNull();
    expect(rejections).toEqual(await kept());
  });
});

test('a pool can ask which rejections are mended, and for the lag', async () => {
  const rejection = await reject();
  const unreadable = { ...rejection, value: Buffer.from('noise') };
  const isMended = async () => {
    const mended = await findMended(pool, [unreadable, ...(await kept())]);
    expect(mended).not.toContain(unreadable);
    return [...mended].map(originOf).includes(originOf(rejection));
  };
  expect(await isMended()).toBe(false);
  await service.submit([endorse('nation-herald', 'mayor', 'ann')]);
  await until('the position is there', isMended);
  await until('nothing waits', async () => {
    const { submissions: partitions, changes, rejections } = await measureLag(pool, kafka);
    return [...partitions, changes, rejections].every(({ lag }) => lag === 0);
  });
  await service.stopConsumers();
  await service.submit([endorse('nation-herald', 'mayor', 'bob')]);
  const lag = await measureLag(pool, kafka);
  expect(lag.submissions.reduce((sum, partition) => sum + partition.lag, 0)).toBe(1);
});
