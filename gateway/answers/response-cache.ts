import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import type { Clock } from '../../service/clock.ts';
import type { Coalescer } from '../../service/coalescer.ts';
import type { DataPart, DataVersions } from '../../store/reads/data-versions.ts';
import { encodeContent } from '../http/content.ts';
import { RepeatedContent } from '../http/repeated-content.ts';
import type { Reply } from '../http/route.ts';

/** Larger answers, in bytes, are not kept: one would evict many that are requested more often. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** The age up to which an answer is reused, in milliseconds. Its stream cursor, if any, ages with it. */
const MAX_AGE_MS = 60_000;
/**
 * The largest part of the retention for which an answer is reused, so that a cursor in it does not expire.
 */
const MAX_AGE_OF_RETENTION = 0.1;
const DAY_MS = 86_400_000;
/** The approximate memory of an answer besides its bytes and its name. */
const ENTRY_BYTES = 1024;

const answers = new Counter({
  name: 'answers_total',
  help: 'Answers that can be kept, by origin: reused (kept) or computed (made).',
  labelNames: ['origin'],
});
const kept = answers.labels('kept');
const made = answers.labels('made');

/** A request whose answer can be kept. */
interface CacheableRequest {
  /** The path and query, without the account: only answers that all accounts share are kept. */
  name: string;
  /** The parts of the data that the answer is made of. */
  shows: readonly DataPart[];
  /** The data versions of the server that makes the answer. Another server can show more or less (INV-1). */
  dataVersion: Coalescer<DataVersions>;
  /** Whether the client has disconnected. The answer may then be incomplete and is not kept. */
  isGone: () => boolean;
}

/** An answer that can be sent any number of times. */
type RepeatedReply = Extract<Reply, { json: unknown }> & { json: RepeatedContent };

interface CachedResponse {
  reply: RepeatedReply;
  /** The version of the data before the answer was made. The answer shows this version or a later one. */
  version: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface ResponseCacheOptions {
  /** The memory that answers may take, in bytes; 0 keeps none. */
  maxBytes: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  clock: Clock;
}

/**
 * Keeps answers and reuses them while they are current. Every request asks the database whether the data of
 * its answer has changed (INV-1). The least recently used answers are dropped first.
 */
export class ResponseCache {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  /** By name; null if no answers are kept. */
  readonly #responses: LRUCache<string, CachedResponse> | null;

  constructor({ maxBytes, retentionMs, clock }: ResponseCacheOptions) {
    this.#clock = clock;
    this.#maxAgeMs = Math.min(MAX_AGE_MS, retentionMs * MAX_AGE_OF_RETENTION);
    this.#responses =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: ({ reply }, name) => reply.json.memoryBytes + 2 * name.length + ENTRY_BYTES,
          });
  }

  /**
   * Returns the kept answer to a request, or makes one.
   *
   * @throws the errors of `make`, and the database's error if the version cannot be read.
   */
  async answer(
    { name, shows, dataVersion, isGone }: CacheableRequest,
    make: () => Promise<Reply>,
  ): Promise<Reply> {
    if (!this.#responses) return make();
    const version = await this.#versionOf(shows, dataVersion);
    const at = this.#clock.now();
    const cached = this.#responses.get(name);
    if (cached && cached.version === version && at - cached.at < this.#maxAgeMs) {
      kept.inc();
      return cached.reply;
    }
    const reply = await make();
    made.inc();
    if (!('json' in reply)) return reply;
    const content = encodeContent(reply.json);
    if (content.length > MAX_RESPONSE_BYTES || isGone()) return { ...reply, json: content };
    const json = RepeatedContent.copyOf(content, () => this.#measure(name, json));
    const repeated = { ...reply, json };
    this.#responses.set(name, { reply: repeated, version, at });
    return repeated;
  }

  /** Updates the memory of an answer that has grown, if it is still kept. */
  #measure(name: string, content: RepeatedContent): void {
    const cached = this.#responses?.peek(name);
    if (cached?.reply.json === content) this.#responses?.set(name, { ...cached });
  }

  /** The versions of the parts, and the day in UTC, which decides which elections are upcoming. */
  async #versionOf(shows: readonly DataPart[], dataVersion: Coalescer<DataVersions>): Promise<string> {
    const versions = await dataVersion.next();
    let version = String(Math.floor(this.#clock.now() / DAY_MS));
    for (const part of shows) version += ` ${versions[part]}`;
    return version;
  }
}
