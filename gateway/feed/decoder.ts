import { Worker } from 'node:worker_threads';
import type { FetchedRecord } from '../../kafka/record-batches.ts';
import type { RenderedChanges } from './rendered-changes.ts';

/** Records of a partition, on their way to the thread. */
export interface PackedRecords {
  id: number;
  epoch: number;
  /** Their values, one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Where in the bytes each value ends. */
  ends: Uint32Array<ArrayBuffer>;
  offsets: Float64Array<ArrayBuffer>;
}

/** What comes back. */
export interface Decoded {
  id: number;
  changes: RenderedChanges;
}

interface Waiting {
  resolve: (changes: RenderedChanges) => void;
  reject: (error: Error) => void;
}

/**
 * Decodes and renders older changes in a thread of its own, so that who follows the stream does not wait for who reads
 * its past. The thread begins with the first batch, and again after it has failed.
 */
export class Decoder {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #next = 0;

  /**
   * Decodes records as `renderRecords` does.
   *
   * @throws Error where the thread ends meanwhile.
   */
  decode(
    records: readonly Pick<FetchedRecord, 'offset' | 'value'>[],
    epoch: number,
  ): Promise<RenderedChanges> {
    return new Promise((resolve, reject) => {
      const id = this.#next;
      this.#next += 1;
      this.#waiting.set(id, { resolve, reject });
      const packed = pack(records, { id, epoch });
      this.#thread ??= this.#start();
      this.#thread.postMessage(packed, [packed.bytes.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./decoder-thread.ts', import.meta.url), { name: 'decoder' });
    thread.on('message', ({ id, changes }: Decoded) => {
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
    // Alone it keeps no process alive.
    thread.unref();
    return thread;
  }
}

function pack(
  records: readonly Pick<FetchedRecord, 'offset' | 'value'>[],
  { id, epoch }: Pick<PackedRecords, 'id' | 'epoch'>,
): PackedRecords {
  const ends = new Uint32Array(records.length);
  const offsets = new Float64Array(records.length);
  let length = 0;
  for (const [index, { offset, value }] of records.entries()) {
    length += value?.length ?? 0;
    ends[index] = length;
    offsets[index] = offset;
  }
  const bytes = new Uint8Array(length);
  for (const [index, { value }] of records.entries()) if (value) bytes.set(value, ends[index - 1] ?? 0);
  return { id, epoch, bytes, ends, offsets };
}
