import { Worker } from 'node:worker_threads';
import { BufferPool } from '../service/buffer-pool.ts';
import type { TransferableChanges } from './transferable-changes.ts';
import { type ChangeRecord, packRecords, type TransferableRecords } from './transferable-records.ts';

/** A message to the decoder thread. */
export interface DecodeRequest {
  id: number;
  epoch: number;
  records: TransferableRecords;
}

/** The decoder thread's answer to the request with the same id. */
export interface DecodeReply {
  id: number;
  changes: TransferableChanges;
  /** The bytes of the request, which are no longer needed. */
  spent: ArrayBuffer;
}

/** Enough for the batches of every partition that are decoded together. */
const MAX_IDLE_BUFFERS = 16;
const MAX_BUFFER_BYTES = 1024 * 1024;

/**
 * Decodes and renders older changes in a thread of its own, so that replays do not delay live streams. The
 * thread starts with the first batch, and again after a failure.
 */
export class Decoder {
  readonly #waiting = new Map<number, PromiseWithResolvers<TransferableChanges>>();
  readonly #buffers = new BufferPool({ maxIdle: MAX_IDLE_BUFFERS, maxBytes: MAX_BUFFER_BYTES });
  #thread: Worker | undefined;
  #nextId = 0;

  /**
   * Decodes records as `packChanges` does. Copies them before it returns, so their memory can be reused.
   *
   * @throws Error if the thread ends before it answers.
   */
  decode(records: readonly ChangeRecord[], epoch: number): Promise<TransferableChanges> {
    const answer = Promise.withResolvers<TransferableChanges>();
    const id = this.#nextId;
    this.#nextId += 1;
    this.#waiting.set(id, answer);
    const request: DecodeRequest = { id, epoch, records: packRecords(records, this.#buffers) };
    this.#thread ??= this.#start();
    this.#thread.postMessage(request, [request.records.bytes]);
    return answer.promise;
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./decoder-thread.ts', import.meta.url), { name: 'decoder' });
    thread.on('message', ({ id, changes, spent }: DecodeReply) => {
      this.#buffers.giveBack(spent);
      this.#waiting.get(id)?.resolve(changes);
      this.#waiting.delete(id);
    });
    const fail = (error: Error) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    thread.on('error', fail);
    thread.on('exit', () => fail(new Error('The thread that decodes older changes has ended.')));
    // The thread alone must not keep the process running.
    thread.unref();
    return thread;
  }
}
