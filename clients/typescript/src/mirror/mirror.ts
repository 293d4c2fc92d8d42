import type { Calls } from '../calls.ts';
import { CursorExpiredError } from '../errors.ts';
import { readPolls } from '../events/read-polls.ts';
import { readStream } from '../events/read-stream.ts';
import type { Step } from '../events/step.ts';
import { readExport } from '../exports/read-export.ts';
import type { Connection } from '../http/connection.ts';
import { sleep } from '../http/sleep.ts';
import type { EndorsementFilter, ListedEndorsement } from '../types.ts';
import { Copy } from './copy.ts';
import { MemoryStorage } from './memory-storage.ts';
import type { MirroredEndorsement } from './record.ts';
import { type IdRange, type MirrorStorage, normalizeFilter } from './storage.ts';
import { TurnQueue } from './turn-queue.ts';
import { type Comparison, compareCopy, readAgain } from './verify.ts';

export interface MirrorOptions {
  /** The endorsements to keep; all by default. */
  filter?: EndorsementFilter | undefined;
  /** The storage of the copy and of its position in the stream; memory by default. */
  storage?: MirrorStorage | undefined;
}

/** The result of a verification. `repaired` has the differing parts, which were read again. */
export type Verification = Comparison & { repaired: IdRange[] };

interface Endable {
  signal?: AbortSignal | undefined;
}

export interface VerifyOptions extends Endable {
  /**
   * The longest wait for changes that the service's digest contains and its events do not yet, in milliseconds; 30,000
   * by default. Every event starts the wait again.
   */
  catchUpMs?: number | undefined;
}

const LIST = '/v1/endorsements';
const MAX_EVENTS = 1000;
const MAX_REPAIRS = 3;
const MAX_WAIT_MS = 30_000;
const CATCH_UP_MS = 30_000;

/**
 * An exact copy of the endorsements that a filter chooses. It reads the list once and follows the changes. After a
 * restart it continues from its position. If that has expired, it reads the list again.
 */
export class Mirror {
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #copy: Copy;
  /** Runs all changes and comparisons of the copy one after another. */
  readonly #turns = new TurnQueue();
  #isRunning = false;
  /** How often its position expired without a step in between. */
  #expiries = 0;

  /** @internal */
  constructor(
    connection: Connection,
    calls: Calls,
    { filter = {}, storage = new MemoryStorage() }: MirrorOptions,
  ) {
    this.#connection = connection;
    this.#calls = calls;
    this.#copy = new Copy(storage, normalizeFilter(filter));
  }

  /** The copy's position in the stream; null until the copy is read, or loaded from its storage. */
  get cursor(): string | null {
    return this.#copy.cursor;
  }

  /** An endorsement of the copy by its id; null if the copy does not have it. */
  async get(id: number): Promise<MirroredEndorsement | null> {
    await this.#copy.open();
    return this.#copy.get(id);
  }

  /** The copy as of the first step, by id. */
  async *records(): AsyncGenerator<MirroredEndorsement, void> {
    await this.#copy.open();
    for await (const batch of this.#copy.read()) yield* batch;
  }

  /**
   * Keeps the copy up to date until the signal aborts; then saves the copy and resolves.
   *
   * @throws StorageError if the storage holds something else; ApiError for a refusal such as 400, 401, 403 and 404; a
   * failure of the storage
   */
  async run({ signal = new AbortController().signal }: Endable = {}): Promise<void> {
    const { values: filter } = this.#copy.filter;
    const follow = (cursor: string) => readStream(this.#connection, { cursor }, { filter, signal });
    await this.#work(signal, follow).catch((error: unknown) => {
      if (!signal.aborted || error !== signal.reason) throw error;
    });
  }

  /**
   * Brings the copy up to date and saves it. @returns its position in the stream
   *
   * @throws as `run` does, and the signal's reason
   */
  async sync({ signal = new AbortController().signal }: Endable = {}): Promise<string> {
    const settings = { filter: this.#copy.filter.values, signal, limit: MAX_EVENTS, follow: false };
    await this.#work(signal, (cursor) => readPolls(this.#connection, { cursor }, settings));
    return this.cursor ?? '';
  }

  /**
   * Compares the copy with the service at the same position in the stream. Meanwhile the copy does not follow the
   * stream.
   *
   * @param options.repair whether to read differing parts again
   * @throws TypeError if there is no copy yet; CursorExpiredError if its position has expired, after which `run` and
   * `sync` read it again; ApiError, NetworkError or TimeoutError after all retries; TimeoutError if the service does
   * not send the changes that its digest contains; the signal's reason
   */
  verify(options: VerifyOptions & { repair?: boolean | undefined } = {}): Promise<Verification> {
    const { repair = false, signal = new AbortController().signal, catchUpMs = CATCH_UP_MS } = options;
    const parts = { copy: this.#copy, connection: this.#connection, calls: this.#calls, signal, catchUpMs };
    return this.#turns.take(signal, async () => {
      await this.#copy.open();
      if (this.cursor === null)
        throw new TypeError('There is no copy yet to verify; call run or sync first.');
      const repaired: IdRange[] = [];
      for (let repairs = 0; ; repairs += 1) {
        const found = await compareCopy(parts);
        if (found.ok || !repair || repairs === MAX_REPAIRS) return { ...found, repaired };
        for (const range of found.buckets) await readAgain(range, parts);
        repaired.push(...found.buckets);
      }
    });
  }

  /** Compares the copy with the service, and reads differing parts again. @throws as `verify` does */
  repair(options: VerifyOptions = {}): Promise<Verification> {
    return this.verify({ ...options, repair: true });
  }

  /** Reads the copy if there is none, and applies the steps of a source to it. An expired copy is read again. */
  async #work(
    signal: AbortSignal,
    follow: (cursor: string) => AsyncIterable<readonly Step[]>,
  ): Promise<void> {
    if (this.#isRunning) throw new TypeError('This mirror is running already.');
    this.#isRunning = true;
    try {
      await this.#copy.open();
      signal.throwIfAborted();
      if (this.cursor === null) await this.#readAll(signal);
      while (!(await this.#advance(signal, follow))) await this.#readAll(signal);
    } finally {
      this.#isRunning = false;
      await this.#copy.flush();
    }
  }

  /** Applies steps until their end. @returns false if the copy's position has expired */
  async #advance(
    signal: AbortSignal,
    follow: (cursor: string) => AsyncIterable<readonly Step[]>,
  ): Promise<boolean> {
    try {
      for await (const steps of follow(this.cursor ?? '')) {
        await this.#turns.take(signal, () => this.#copy.apply(steps));
        this.#expiries = 0;
      }
      return true;
    } catch (error) {
      if (!(error instanceof CursorExpiredError)) throw error;
      this.#connection.onRetry({ error, path: LIST, failures: this.#expiries + 1, waitMs: this.#waitMs });
      return false;
    }
  }

  /** If a list expires before its end, the next attempt waits. */
  get #waitMs(): number {
    return this.#expiries === 0 ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** this.#expiries);
  }

  /** Reads the whole copy again. The old one stays until then. */
  async #readAll(signal: AbortSignal): Promise<void> {
    await sleep(this.#waitMs, signal);
    const maxRetries = Number.POSITIVE_INFINITY;
    const settings = { path: LIST, filter: this.#copy.filter.values, signal, maxRetries };
    const list = readExport<ListedEndorsement>(this.#connection, settings);
    await this.#turns.take(signal, () => this.#copy.replaceAll(list));
    this.#expiries += 1;
  }
}
