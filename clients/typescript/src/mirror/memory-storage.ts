import type { MirrorChange, MirroredEndorsement } from './record.ts';
import type { IdRange, MirrorPosition, MirrorStorage } from './storage.ts';

const BATCH = 1000;

/** Keeps a copy in memory, so that every process reads it again. */
export class MemoryStorage implements MirrorStorage {
  #records = new Map<number, MirroredEndorsement>();
  #position: MirrorPosition | null = null;

  /** The position of the copy; null if there is none. */
  get position(): MirrorPosition | null {
    return this.#position;
  }

  async load(): Promise<MirrorPosition | null> {
    return this.#position;
  }

  async commit(changes: readonly MirrorChange[], position: MirrorPosition): Promise<void> {
    for (const { id, record } of changes) {
      if (record) this.#records.set(id, record);
      else this.#records.delete(id);
    }
    this.#position = position;
  }

  async replace(
    batches: AsyncIterable<readonly MirroredEndorsement[]>,
    finish: () => MirrorPosition,
  ): Promise<void> {
    const records = new Map<number, MirroredEndorsement>();
    for await (const batch of batches) for (const record of batch) records.set(record.id, record);
    this.#position = finish();
    this.#records = records;
  }

  async get(id: number): Promise<MirroredEndorsement | null> {
    return this.#records.get(id) ?? null;
  }

  async *read(range?: IdRange): AsyncGenerator<readonly MirroredEndorsement[], void> {
    const records = [...this.#records.values()].filter(({ id }) => isWithin(id, range));
    records.sort((a, b) => a.id - b.id);
    for (let start = 0; start < records.length; start += BATCH) yield records.slice(start, start + BATCH);
  }

  /** The copy, in any order. */
  records(): Iterable<MirroredEndorsement> {
    return this.#records.values();
  }

  async flush(): Promise<void> {}
}

function isWithin(id: number, range: IdRange | undefined): boolean {
  return range === undefined || (id >= range.first_id && id <= range.last_id);
}
