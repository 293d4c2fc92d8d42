/** A topic as relays leave it, and a reader that fetches it in any order and in pieces of any size. */
import fc from 'fast-check';
import { type Sequenced, SequenceMerge } from '../../../feed/merge.ts';

interface LogRecord {
  event: Sequenced;
  offset: number;
}
interface Start {
  sequence: number;
  offsets: readonly number[];
}
export interface Topic {
  /** The records of each partition, by rising offset. */
  partitions: readonly (readonly LogRecord[])[];
  /** The sequence of the newest change. */
  last: number;
  /** A start: a sequence, and for each partition an offset at or before the first record after it. */
  start: Start;
}

/** A relay's action: it sends a run of changes, and after a crash the newest of them again. */
const sending = fc.record({
  partitions: fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
  resent: fc.nat(8),
});

/**
 * A dense sequence on a growing number of partitions: copies sent after the growth are on other partitions than the
 * originals. Offsets have gaps, as after compaction and transaction markers.
 */
export const topicArbitrary: fc.Arbitrary<Topic> = fc
  .record({
    counts: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(2)),
    sendings: fc.array(sending, { minLength: 1, maxLength: 8 }),
    grownAt: fc.nat(8),
    gaps: fc.infiniteStream(fc.constantFrom(1, 1, 1, 2, 5)),
    start: fc.record({ sequence: fc.nat(), back: fc.infiniteStream(fc.nat(6)) }),
  })
  .map(({ counts: [count, more], sendings, grownAt, gaps, start }) => {
    const partitions: LogRecord[][] = Array.from({ length: count + more }, () => []);
    const keys: number[] = [];
    const append = (sequence: number, partition: number) => {
      const records = partitions[partition] ?? [];
      const offset = (records.at(-1)?.offset ?? -1) + (gaps.next().value ?? 1);
      records.push({ event: { sequence, bytes: 1 }, offset });
    };
    for (const [index, { partitions: sent, resent }] of sendings.entries()) {
      const countNow = index < grownAt ? count : count + more;
      for (const key of sent) append(keys.push(key), key % countNow);
      const countThen = index + 1 < grownAt ? count : count + more;
      const from = Math.max(0, keys.length - resent);
      for (const [i, key] of keys.slice(from).entries()) append(from + i + 1, key % countThen);
    }
    const sequence = start.sequence % keys.length;
    const offsets = partitions.map((records) => {
      const first = records.find(({ event }) => event.sequence > sequence)?.offset ?? 0;
      return Math.max(0, first - (start.back.next().value ?? 0));
    });
    return { partitions, last: keys.length, start: { sequence, offsets } };
  });

/** Reads a topic as a gateway does. Numbers from `choose` decide the partition and the size of each fetch. */
export function createReader({ partitions }: Topic, start: Start, choose: Iterator<number>) {
  const merge = new SequenceMerge<Sequenced>(start);
  const atEnd = new Set<number>();
  const wantedNow = () => [...merge.wanted(partitions.length, { atEnd })];
  const pick = (count: number): number => (choose.next().value ?? 0) % count;

  function fetch(partition: number, offset: number, count: number): boolean {
    const rest = (partitions[partition] ?? []).filter((record) => record.offset >= offset);
    const records = rest.slice(0, count);
    merge.add(partition, records, (records.at(-1)?.offset ?? offset - 1) + 1);
    if (records.length === rest.length) atEnd.add(partition);
    return records.length > 0;
  }

  return {
    merge,
    /** Fetches a part of one wanted partition, and takes a part of the available records. */
    step(): number[] {
      const wanted = wantedNow();
      const [partition, offset] = wanted[pick(wanted.length || 1)] ?? [];
      if (partition !== undefined && offset !== undefined) fetch(partition, offset, pick(5));
      return merge.take(pick(4)).map(({ sequence }) => sequence);
    },
    /** Fetches and takes everything until the topic ends. A take must hold nothing back. */
    drain(): number[] {
      const given: number[] = [];
      for (let more = true; more; ) {
        more = false;
        for (const [partition, offset] of wantedNow()) {
          if (fetch(partition, offset, 1 + pick(5))) more = true;
        }
        const taken = merge.take();
        if (taken.length > 0) more = true;
        given.push(...taken.map(({ sequence }) => sequence));
        if (merge.take().length > 0) throw new Error('a take held back records that it could have returned');
      }
      return given;
    },
  };
}

/** The sequences that a reader must return, from its start to the newest. */
export function expectedOf({ last, start }: Topic): number[] {
  return Array.from({ length: last - start.sequence }, (_, index) => start.sequence + 1 + index);
}

/** Everything that a reader returns: first in small steps, then until the end. */
export function readAll(reader: ReturnType<typeof createReader>): number[] {
  return [...Array.from({ length: 30 }, () => reader.step()).flat(), ...reader.drain()];
}
