/*
 * The thread of `decoder.ts`: decodes and renders what it is sent, one batch after the other.
 */
import { parentPort } from 'node:worker_threads';
import type { Decoded, PackedRecords } from './decoder.ts';
import { renderRecords } from './rendered-changes.ts';

parentPort?.on('message', ({ id, epoch, bytes, ends, offsets }: PackedRecords) => {
  const all = Buffer.from(bytes.buffer);
  const records = Array.from(ends, (end, index) => ({
    offset: offsets[index] as number,
    value: all.subarray(ends[index - 1] ?? 0, end),
  }));
  const changes = renderRecords(records, epoch);
  const decoded: Decoded = { id, changes };
  parentPort?.postMessage(decoded, [changes.bytes.buffer]);
});
