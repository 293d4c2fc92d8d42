/*
 * The thread that `decoder.ts` starts. It decodes and renders one batch after the other.
 */
import { parentPort } from 'node:worker_threads';
import type { DecodeReply, DecodeRequest } from './decoder.ts';
import { packChanges } from './transferable-changes.ts';
import { unpackRecords } from './transferable-records.ts';

parentPort?.on('message', ({ id, epoch, records }: DecodeRequest) => {
  const changes = packChanges(unpackRecords(records), epoch);
  const reply: DecodeReply = { id, changes, spent: records.bytes };
  parentPort?.postMessage(reply, [changes.bytes.buffer, records.bytes]);
});
