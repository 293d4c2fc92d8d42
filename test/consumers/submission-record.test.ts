import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  createRanges,
  createRecord,
  dropApplied,
  joinRanges,
  type SubmissionRange,
  type SubmissionRecord,
  sizeOfRecord,
  splitRange,
} from '../../consumers/apply/submission-record.ts';
import type { FetchedRecord } from '../../kafka/protocol/record-batches.ts';
import type { UnreadableBatch } from '../../kafka/reading/partition-read.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';
import { endorse, pick, position } from '../helpers/ballots/submissions.ts';
import { encodeHeaders } from '../helpers/kafka/record-headers.ts';

/** An object of 300 bytes as text. */
const DETAILS = JSON.stringify({ note: 'x'.repeat(289) });

/** The rest of a record without headers. */
const PLAIN = { timestamp: Date.UTC(2026, 0), headers: null };

const fail = (error: unknown) => {
  throw error;
};

/** A fetch of a partition: records and unreadable batches, with gaps from compaction and markers. */
const fetched = fc
  .array(fc.record({ gap: fc.nat(3), unreadable: fc.option(fc.nat(5), { freq: 5 }) }), { maxLength: 2500 })
  .map((parts) => {
    const records: FetchedRecord[] = [];
    const unreadable: UnreadableBatch[] = [];
    let next = 100;
    for (const part of parts) {
      next += part.gap;
      if (part.unreadable === null) records.push({ ...PLAIN, offset: next, key: null, value: null });
      else {
        const lastOffset = next + part.unreadable;
        unreadable.push({
          ...{ firstOffset: next, lastOffset, newestAt: 1000 },
          ...{ bytes: Buffer.from('x'), reason: 'damaged' },
        });
        next = lastOffset;
      }
      next += 1;
    }
    const read = { partition: 3, records, unreadable, nextOffset: next, newestAt: 1000, isOutOfRange: false };
    return { ...read, end: next, stableEnd: next, atEnd: true };
  });

test('INV-8: ranges cover a fetch without a gap, and hold each of its records and batches once, in order', () => {
  fc.assert(
    fc.property(fetched, (read) => {
      const ranges = [...createRanges(100, read, fail)];
      expect(ranges[0]?.from).toBe(100);
      expect(ranges.at(-1)?.to).toBe(read.nextOffset);
      for (const [index, range] of ranges.entries()) {
        if (index > 0) expect(range.from).toBe(ranges[index - 1]?.to);
        for (const { offset } of range.records) expect(offset >= range.from && offset < range.to).toBe(true);
      }
      const offsets = ranges.flatMap(({ records }) => records.map(({ offset }) => offset));
      const expected = [
        ...read.records.map(({ offset }) => offset),
        ...read.unreadable.map((b) => b.firstOffset),
      ];
      expect(offsets).toEqual(expected.sort((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});

test('INV-8: a range that is split and partly applied loses and repeats nothing', () => {
  fc.assert(
    fc.property(fetched, fc.integer({ min: 1, max: 400 }), fc.nat(3000), (read, maxRecords, progress) => {
      for (const range of createRanges(100, read, fail)) {
        const [first, second] = splitRange(range, maxRecords, 1_000_000);
        expect(second?.from ?? range.to).toBe(first.to);
        expect([...first.records, ...(second?.records ?? [])]).toEqual(range.records);
        const rest = dropApplied(range, 100 + progress);
        // An unreadable batch is kept until the offset is beyond its end.
        const unapplied = (record: SubmissionRecord) =>
          (record.lastOffset ?? record.offset) >= 100 + progress;
        expect(rest.records).toEqual(range.records.filter(unapplied));
        expect(rest.to).toBe(Math.max(range.to, 100 + progress));
      }
    }),
    { numRuns: 30 },
  );
});

const readOf = (records: FetchedRecord[], unreadable: UnreadableBatch[] = []) => {
  const nextOffset = records.length;
  const end = {
    nextOffset,
    newestAt: 1000,
    end: nextOffset,
    stableEnd: nextOffset,
    atEnd: true,
    isOutOfRange: false,
  };
  return { partition: 3, records, unreadable, ...end };
};
const recordsOf = (count: number, bytes = 0): FetchedRecord[] =>
  Array.from({ length: count }, (_, offset) => ({ ...PLAIN, offset, key: null, value: Buffer.alloc(bytes) }));

test.each([
  [0, [0]],
  [1000, [1000]],
  [1001, [1000, 1]],
  [2000, [1000, 1000]],
])('%i records make ranges of %j records', (count, sizes) => {
  const ranges = [...createRanges(0, readOf(recordsOf(count)), fail)];
  expect(ranges.map(({ records }) => records.length)).toEqual(sizes);
});

test('a record keeps copies of its key and value, and counts the memory of both', () => {
  const whole = Buffer.from('a key and a value');
  const record = createRecord(
    { ...PLAIN, offset: 7, key: whole.subarray(0, 5), value: whole.subarray(10) },
    fail,
  );
  expect(record).toMatchObject({ offset: 7, key: Buffer.from('a key'), value: Buffer.from('a value') });
  whole.fill(0);
  expect([String(record.key), String(record.value)]).toEqual(['a key', 'a value']);
  const reason = 'code' in record.submission ? record.submission.message.length : 0;
  expect(sizeOfRecord(record)).toBe(512 + reason);
  expect(sizeOfRecord({ ...record, key: null, value: null })).toBe(500 + reason);
});

const KEY = Buffer.from('acme');
const submitted = (submission: Submission, key: Buffer | null = KEY) =>
  createRecord({ ...PLAIN, offset: 7, key, value: submissionCodec.encode(submission) }, fail);
const picks = (count: number) => Array.from({ length: count }, (_, index) => pick(`c${index}`));

test('INV-15: the memory of a submission counts its picks and its texts', () => {
  const one = submitted(endorse('acme', 'mayor', 'ann'));
  const many = submitted(position('acme', 'mayor', picks(500)));
  expect(sizeOfRecord(many) - sizeOfRecord(one)).toBeGreaterThan(499 * 250);
  const long = submitted(endorse('acme', 'mayor', 'ann', { statement: 'x'.repeat(10_000) }));
  expect(sizeOfRecord(long) - sizeOfRecord(one)).toBeGreaterThan(20_000);
});

test.each([
  ['undecodable', 'of bytes that are not a submission', Buffer.alloc(100_000), KEY, 65_536],
  ['too_large', 'of too many bytes', Buffer.alloc(1_048_577), KEY, 65_536],
  [
    'invalid_submission',
    'of a malformed submission',
    submissionCodec.encode(endorse('acme', 'mayor', 'ann', { statement: 'x'.repeat(100_000) })),
    KEY,
    65_536,
  ],
  ['undecodable', 'of 64 KiB', Buffer.alloc(65_536), KEY, null],
  [
    'wrong_key',
    'that is valid with another key',
    submissionCodec.encode(
      position(
        'acme',
        'mayor',
        picks(500).map((one) => ({ ...one, details: DETAILS })),
      ),
    ),
    null,
    null,
  ],
])('INV-15: %s: the value %s is kept whole only if it may become valid', (code, _, value, key, kept) => {
  const record = createRecord({ ...PLAIN, offset: 7, key, value }, fail);
  expect(record.submission).toMatchObject({ code });
  expect(record.value?.length).toBe(kept ?? value.length);
  expect(record.truncated?.size ?? null).toBe(kept && value.length);
});

test('INV-15: of many values that are never valid, a fetch keeps four megabytes and the beginning of each', () => {
  const [range] = createRanges(0, readOf(recordsOf(200, 100_000)), fail);
  const more = [...createRanges(0, readOf(recordsOf(200, 100_000)), fail)].flatMap(({ records }) => records);
  const sizes = more.map(({ value }) => value?.length ?? 0);
  expect(range?.records[0]?.value).toHaveLength(65_536);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4_200_000 + 200 * 512);
  expect(Math.min(...sizes)).toBe(512);
  expect(more.every(({ truncated }) => truncated?.size === 100_000)).toBe(true);
});

test('INV-15: a range ends after a megabyte, so that decoding holds nobody up', () => {
  const value = submissionCodec.encode(position('acme', 'mayor', picks(500)));
  const records = Array.from({ length: 50 }, (_, offset) => ({ ...PLAIN, offset, key: KEY, value }));
  const sizes = [...createRanges(0, readOf(records), fail)].map((range) => range.records.length);
  expect(sizes.length).toBeGreaterThan(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(50);
});

test('INV-15: a long key is kept in part', () => {
  expect(submitted(endorse('acme', 'mayor', 'ann'), Buffer.alloc(1_000_000)).key).toHaveLength(200);
});

test('an unreadable batch becomes a record with its offsets and the reason, before later records', () => {
  const bytes = Buffer.from('x');
  const batch = { firstOffset: 4, lastOffset: 9, newestAt: 1000, bytes, reason: 'its checksum is wrong' };
  const later = { ...PLAIN, offset: 10, key: null, value: null };
  const [range] = createRanges(0, readOf([later], [batch]), fail);
  expect(range?.records).toEqual([
    {
      offset: 4,
      lastOffset: 9,
      key: null,
      value: Buffer.from('x'),
      truncated: null,
      submittedAt: null,
      traceparent: null,
      sender: null,
      submission: {
        code: 'unreadable',
        message: 'The batch of offsets 4 to 9 cannot be read: its checksum is wrong.',
      },
    },
    expect.objectContaining({ offset: 10 }),
  ]);
});

test.each([
  ['by records', 3, 1_000_000, 3],
  ['by memory, after the record that fills it', 10, 1200, 2],
  ['by memory that is used up exactly', 10, 1200 - 100, 2],
  ['after one record at least', 10, 1, 1],
])('a range is split %s', (_how, maxRecords, maxBytes, count) => {
  // Each record takes 500 bytes in addition to its 100.
  const [range] = createRanges(0, readOf(recordsOf(5, 100)), fail);
  if (!range) throw new Error('There is no range.');
  const [first, second] = splitRange(range, maxRecords, maxBytes);
  expect(first.records).toEqual(range.records.slice(0, count));
  expect(second?.records).toEqual(range.records.slice(count));
  expect([first.from, first.to, second?.from, second?.to]).toEqual([0, count, count, 5]);
});

test('a range that fits is not split', () => {
  const [range] = createRanges(0, readOf(recordsOf(5)), fail);
  if (range) expect(splitRange(range, 5, 1_000_000)).toEqual([range, undefined]);
  expect(range?.records).toHaveLength(5);
});

test('a record that the code itself fails on is rejected as a defect, and reported', () => {
  const errors: unknown[] = [];
  const broken = {
    ...PLAIN,
    offset: 1,
    key: null,
    // A value of an unexpected type.
    value: { buffer: undefined, length: 1 } as unknown as Buffer,
  };
  const { submission } = createRecord(broken, (error) => errors.push(error));
  expect(submission).toMatchObject({ code: 'defect' });
  expect(errors).toEqual([expect.objectContaining({ name: 'TypeError' })]);
});

const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test.each([
  ['a time of its broker', Date.UTC(2026, 5), Date.UTC(2026, 5)],
  ['no time', -1, null],
  ["a time beyond the database's range", Number.MAX_SAFE_INTEGER, null],
])('INV-14: a record with %s', (_which, timestamp, submittedAt) => {
  expect(createRecord({ ...PLAIN, timestamp, offset: 1, key: null, value: null }, fail)).toMatchObject({
    submittedAt,
  });
});

test.each([
  ['a sender', { submitted_by: 'ops submit by José' }, 'ops submit by José'],
  ['an empty sender', { submitted_by: '' }, null],
  ['a sender of 201 characters', { submitted_by: 'é'.repeat(201) }, null],
  ['a sender that Postgres cannot store', { submitted_by: 'a\0b' }, null],
  ['a sender that turns the text around it', { submitted_by: 'a\u202eb' }, null],
  ['other headers', { source: 'import' }, null],
])('a record with %s has the sender or none', (_which, headers, sender) => {
  const record = { ...PLAIN, headers: encodeHeaders(headers), offset: 1, key: null, value: null };
  expect(createRecord(record, fail)).toMatchObject({ sender });
});

test.each([
  ['a trace', { traceparent: TRACE }, TRACE],
  ['other headers', { source: 'import' }, null],
  ['a trace with an empty id', { traceparent: `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01` }, null],
  ['an invalid trace', { traceparent: 'zz' }, null],
])('a record with %s', (_which, headers, traceparent) => {
  const record = { ...PLAIN, headers: encodeHeaders(headers), offset: 1, key: null, value: null };
  expect(createRecord(record, fail)).toMatchObject({ traceparent });
});

test('INV-14: a record with broken headers counts as one without headers', () => {
  const headers = encodeHeaders({ traceparent: TRACE }).subarray(0, 20);
  expect(createRecord({ ...PLAIN, headers, offset: 1, key: null, value: null }, fail)).toMatchObject({
    traceparent: null,
    sender: null,
  });
});

test('a range has the append time of its newest submission, which counts for the whole read', () => {
  const records = recordsOf(1500).map((record) => ({ ...record, timestamp: 2000 + record.offset }));
  const [first, second] = createRanges(0, { ...readOf(records), newestAt: 9000 }, fail);
  expect([first?.appendedAt, second?.appendedAt]).toEqual([2999, 9000]);
  const [left, right] = splitRange(second as SubmissionRange, 100, Number.POSITIVE_INFINITY);
  expect([left.appendedAt, right?.appendedAt]).toEqual([3099, 9000]);
  expect(joinRanges([{ ...left, appendedAt: 9001 }, right as SubmissionRange])?.appendedAt).toBe(9001);
});

test('INV-8: ranges that follow each other are joined without a gap', () => {
  fc.assert(
    fc.property(fetched, (read) => {
      const ranges = [...createRanges(100, read, fail)];
      const joined = joinRanges(ranges);
      expect([joined?.partition, joined?.from, joined?.to]).toEqual([3, 100, read.nextOffset]);
      expect(joined?.records).toEqual(ranges.flatMap(({ records }) => records));
      expect(joined?.appendedAt).toBe(Math.max(...ranges.map(({ appendedAt }) => appendedAt ?? 0)));
    }),
    { numRuns: 20 },
  );
});
