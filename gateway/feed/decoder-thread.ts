/*
 * The thread that `decoder.ts` starts. It decodes and renders one batch after the other.
 */
import { parentPort } from 'node:worker_threads';
import type { DecodeReply, DecodeRequest } from './decoder.ts';
import { decodeRecords } from './entry.ts';
import { packChanges, unpackRecords } from './packed-changes.ts';

parentPort?.on('message', ({ id, epoch, records }: DecodeRequest) => {
  const changes = packChanges(decodeRecords(unpackRecords(records), epoch), epoch);
  const reply: DecodeReply = { id, changes };
  parentPort?.postMessage(reply, [changes.bytes.buffer]);
});
