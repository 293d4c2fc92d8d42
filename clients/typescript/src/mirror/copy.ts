import { type Step, stepsAfter } from '../events/step.ts';
import type { Batch } from '../exports/read-export.ts';
import type { ListedEndorsement } from '../types.ts';
import { changeOf, keepRecord, type MirrorChange, type MirroredEndorsement } from './record.ts';
import {
  type IdRange,
  type MirrorPosition,
  type MirrorStorage,
  type NormalFilter,
  requireFilter,
} from './storage.ts';

/** A copy in a storage, and its position in the stream. */
export class Copy {
  readonly filter: NormalFilter;
  readonly #storage: MirrorStorage;
  #opening: Promise<void> | null = null;
  #position: MirrorPosition | null = null;
  #readAt = '';

  constructor(storage: MirrorStorage, filter: NormalFilter) {
    this.#storage = storage;
    this.filter = filter;
  }

  /** The copy's position in the stream; null if there is no copy. */
  get cursor(): string | null {
    return this.#position?.cursor ?? null;
  }

  /** The latest state of the service that the copy may contain a part of, as an event id or a cursor. */
  get readAt(): string {
    return this.#readAt;
  }

  /** Loads the position, once. @throws StorageError if the storage holds something else */
  open(): Promise<void> {
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<void> {
    const position = await this.#storage.load();
    if (position) requireFilter(position, this.filter);
    this.#position = position;
  }

  get(id: number): Promise<MirroredEndorsement | null> {
    return this.#storage.get(id);
  }

  read(range?: IdRange): AsyncIterable<readonly MirroredEndorsement[]> {
    return this.#storage.read(range);
  }

  flush(): Promise<void> {
    return this.#storage.flush();
  }

  /** Applies steps and moves to the last one. It skips steps before the copy's position. */
  async apply(steps: readonly Step[]): Promise<void> {
    const ahead = stepsAfter(this.cursor, steps);
    const last = ahead.at(-1);
    if (!last) return;
    const events = ahead.flatMap(({ event }) => event ?? []);
    await this.#commit(events.map(changeOf), last.cursor);
    this.#note(events.at(-1)?.id);
  }

  /** Replaces the whole copy. The old one stays until the last batch is read. */
  async replaceAll(batches: AsyncIterable<Batch<ListedEndorsement>>): Promise<void> {
    let position: MirrorPosition | null = null;
    let readAt = '';
    const { text } = this.filter;
    const keep = async function* () {
      for await (const batch of batches) {
        position = { cursor: batch.streamCursor, filter: text };
        readAt = batch.readAt;
        yield batch.records.map(keepRecord);
      }
    };
    const finish = () => {
      if (position === null) throw new TypeError('A list has at least one batch, which can be empty.');
      return position;
    };
    await this.#storage.replace(keep(), finish);
    this.#position = finish();
    this.#note(readAt);
  }

  /** Replaces a part of the copy. Its position in the stream stays. */
  async replaceRange(range: IdRange, records: readonly ListedEndorsement[], readAt: string): Promise<void> {
    const changes = new Map<number, MirrorChange>();
    for await (const batch of this.read(range))
      for (const { id } of batch) changes.set(id, { id, record: null });
    for (const record of records) changes.set(record.id, { id: record.id, record: keepRecord(record) });
    await this.#commit([...changes.values()], this.cursor ?? '');
    this.#note(readAt);
  }

  async #commit(changes: readonly MirrorChange[], cursor: string): Promise<void> {
    const position = { cursor, filter: this.filter.text };
    await this.#storage.commit(changes, position);
    this.#position = position;
  }

  #note(readAt: string | undefined): void {
    if (readAt !== undefined && readAt > this.#readAt) this.#readAt = readAt;
  }
}
