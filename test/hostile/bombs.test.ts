/** Batches of at most a megabyte that expand to much more. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAX_DECOMPRESSED_BYTES } from '../../kafka/protocol/codecs.ts';
import { MAX_RECORDS } from '../../kafka/protocol/record-batches.ts';
import { type SubmittedPick, submissionCodec } from '../../schemas/submission.ts';
import { endorse, pick, position } from '../helpers/ballots/submissions.ts';
import {
  CODECS,
  type Codec,
  type OutsideClient,
  type OutsideProducer,
} from '../helpers/kafka/outside-client.ts';
import { startKafkajsClient, startPlatformaticClient } from '../helpers/kafka/outside-javascript.ts';
import { bad, PARTITIONS, SubmissionLedger } from '../helpers/kafka/submission-ledger.ts';
import { useTestService } from '../helpers/service/service.ts';

const MB = 1024 * 1024;
const ZEROS = Buffer.alloc(MAX_DECOMPRESSED_BYTES + MB);
/** Snappy compresses zeros only to a twentieth, so no batch of it is both small and large enough. */
const BOMBING: Codec[] = CODECS.filter((codec) => codec !== 'none' && codec !== 'snappy');

const service = useTestService({ partitions: PARTITIONS });
const ledger = new SubmissionLedger(service);
let client: OutsideClient;
const producers: OutsideProducer[] = [];

beforeAll(() => {
  client = startKafkajsClient(service.brokers, ledger.topic);
});
afterAll(async () => {
  await Promise.all(producers.map((producer) => producer.close()));
  await ledger.close();
});

async function open(codec: Codec): Promise<OutsideProducer> {
  const producer = await client.open({ codec });
  producers.push(producer);
  return producer;
}

/** kafkajs takes minutes to group so many records. */
async function openForMany(): Promise<OutsideProducer> {
  const producer = await startPlatformaticClient(service.brokers, ledger.topic).open({ codec: 'zstd' });
  producers.push(producer);
  return producer;
}

async function expectOthersApplied(): Promise<void> {
  await ledger.untilProbesApplied();
  await ledger.expectSettled();
}

/** The peak memory of buffers and of the heap during `work`, in bytes. */
async function measureMemory(work: () => Promise<void>): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, memory());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most;
}

function memory(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A position with this many picks without a choice. */
const emptyPicks = (count: number) =>
  submissionCodec.encode(position('bakers-local-1', 'mayor', Array<SubmittedPick>(count).fill(pick(''))));
/** A submission with a very long name in its details, which cannot be stored. */
const longName = submissionCodec.encode(
  endorse('bakers-local-1', 'mayor', 'ann', { details: JSON.stringify({ ['n'.repeat(900_000)]: '\0' }) }),
);

test('INV-15: submissions that are large once unpacked are refused with a short reason, in little memory', async () => {
  const producer = await open('gzip');
  const values = [
    ...Array<Buffer>(3).fill(emptyPicks(1_200_000)),
    ...Array<Buffer>(20).fill(emptyPicks(75_000)),
    ...Array<Buffer>(20).fill(longName),
  ];
  await service.stopConsumers();
  for (const [index, value] of values.entries())
    await ledger.send(producer, [bad(index % PARTITIONS, value)]);
  const before = memory();
  await service.startConsumers();
  const most = await measureMemory(() => expectOthersApplied());
  process.stderr.write(`memory of ${Math.round((most - before) / MB)} MB at most\n`);
  expect(most - before).toBeLessThan(250 * MB);
  const rejections = await ledger.rejections();
  const codes = rejections.map(({ code }) => code);
  expect(
    ['too_large', 'undecodable', 'invalid_submission'].map(
      (code) => codes.filter((one) => one === code).length,
    ),
  ).toEqual([3, 20, 20]);
  expect(Math.max(...rejections.map(({ message }) => message.length))).toBeLessThan(4100);
});

test.each(BOMBING)('INV-14: a %s batch that expands beyond the bound is set aside whole', async (codec) => {
  const producer = await open(codec);
  const [place] = await ledger.sendUnreadable(producer, [{ partition: 3, key: null, value: ZEROS }]);
  await expectOthersApplied();
  const rejection = (await ledger.rejections()).find(({ offset }) => offset === place?.offset);
  expect(rejection).toMatchObject({ code: 'unreadable', last_offset: place?.offset });
  expect(rejection?.message).toMatch(/cannot be decompressed/);
});

test('INV-14: a snappy batch of 20 MB is read', async () => {
  const producer = await open('snappy');
  await ledger.send(producer, [bad(4, Buffer.alloc(20 * MB))]);
  await expectOthersApplied();
});

test('INV-14: batches in many partitions that expand to just below the bound do not fill the memory', async () => {
  const producer = await open('gzip');
  const records = Array.from({ length: 8 }, (_, partition) =>
    bad(partition, ZEROS.subarray(0, MAX_DECOMPRESSED_BYTES - MB)),
  );
  await service.stopConsumers();
  for (const record of records) await ledger.send(producer, [record]);
  const before = memory();
  await service.startConsumers();
  const most = await measureMemory(() => expectOthersApplied());
  process.stderr.write(`memory of ${Math.round((most - before) / MB)} MB at most\n`);
  expect(most - before).toBeLessThan(500 * MB);
});

test('INV-14: a batch of more records than producers make is set aside whole', async () => {
  const producer = await openForMany();
  const empty = { partition: 5, key: null, value: Buffer.alloc(0) };
  const places = await ledger.sendUnreadable(
    producer,
    Array.from({ length: MAX_RECORDS + 1 }, () => empty),
  );
  await expectOthersApplied();
  const rejection = (await ledger.rejections()).find(({ partition, offset }) =>
    [partition, offset].every((value, index) => value === [5, places[0]?.offset][index]),
  );
  expect(rejection).toMatchObject({ code: 'unreadable', last_offset: places.at(-1)?.offset });
});

test('INV-14: a batch of very many small records is read, and other work continues meanwhile', async () => {
  const producer = await openForMany();
  await ledger.send(
    producer,
    Array.from({ length: 50_000 }, () => bad(5, Buffer.alloc(1))),
  );
  await expectOthersApplied();
});
