import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { createScopePredicate, EVERY_CHANGE, type ScopePredicate } from '../../domain/answer-scope.ts';
import type { Clock } from '../../service/clock.ts';
import type { DataPart } from '../../store/reads/data-versions.ts';
import type { DataState, DataWatch } from '../../store/reads/data-watch.ts';
import { encodeContent } from '../http/content.ts';
import { RepeatedContent } from '../http/repeated-content.ts';
import type { Reply } from '../http/route.ts';

/** The largest part of the memory for one answer. A larger answer would evict too many others. */
const MAX_PART = 1 / 4;
/** The age up to which an answer is reused, in milliseconds. Its stream cursor, if any, ages with it. */
const MAX_AGE_MS = 60_000;
/** The largest part of the retention for which an answer is reused, so that a cursor in it does not expire. */
const MAX_AGE_OF_RETENTION = 0.1;
const DAY_MS = 86_400_000;
/** The approximate memory of an answer besides its bytes and its name. */
const ENTRY_BYTES = 1024;
/** Larger answers are kept only if they were asked for before. Otherwise a few that nobody repeats would evict all. */
const ASKED_AGAIN_FROM_BYTES = 64 * 1024;
/** The memory for the names of larger answers, in bytes. */
const NAMES_BYTES = 1024 * 1024;

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
  /** Watches the data of the server that makes the answer. Another server can show more or less (INV-1). */
  data: DataWatch;
  /** Whether the client has disconnected. The answer may then be incomplete and is not kept. */
  isGone: () => boolean;
  /** Runs the work in a turn of its account; omitted if the answer needs no turn. */
  inTurn?: (work: () => Promise<Reply>) => Promise<Reply>;
}

/** Makes an answer that shows the state of the data, or a later one. */
type MakeReply = (loadState: () => Promise<DataState>) => Promise<Reply>;

/** An answer that can be sent any number of times. */
type RepeatedReply = Extract<Reply, { json: unknown }> & { json: RepeatedContent };

interface CachedResponse {
  reply: RepeatedReply;
  /** The versions of the other data, before the answer was made. The answer shows these or later ones. */
  version: string;
  /** The last change that the answer shows, if it alters it. */
  sequence: number;
  /** Whether a change can alter the answer. */
  matches: ScopePredicate;
  /** Milliseconds since 1970. */
  at: number;
}

/** An answer that is being made, for requests that came at the same state of the data. Null if it cannot be shared. */
interface Making {
  version: string;
  sequence: number;
  reply: Promise<RepeatedReply | null>;
}

export interface ResponseCacheOptions {
  /** The memory that answers may take, in bytes; 0 keeps none. */
  maxBytes: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  clock: Clock;
}

/**
 * Keeps answers and reuses them while they are current: every request asks the database how far its data is, and no
 * change since the answer was made may match the answer's scope (INV-1). The least recently used answers are dropped
 * first.
 */
export class ResponseCache {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #maxResponseBytes: number;
  /** By name; null if no answers are kept. */
  readonly #responses: LRUCache<string, CachedResponse> | null;
  readonly #making = new Map<string, Making>();
  /** The names of larger answers. */
  readonly #asked = new LRUCache<string, true>({
    maxSize: NAMES_BYTES,
    sizeCalculation: (_, name) => 2 * name.length + 100,
  });

  constructor({ maxBytes, retentionMs, clock }: ResponseCacheOptions) {
    this.#clock = clock;
    this.#maxAgeMs = Math.min(MAX_AGE_MS, retentionMs * MAX_AGE_OF_RETENTION);
    this.#maxResponseBytes = maxBytes * MAX_PART;
    this.#responses =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: ({ reply }, name) => reply.json.memoryBytes + 2 * name.length + ENTRY_BYTES,
          });
  }

  /**
   * Returns the kept answer to a request, or makes one. Requests that find it being made at the same state of the data
   * share it.
   *
   * @throws the errors of `make` and of `inTurn`, and the database's error if the state of the data cannot be read.
   */
  async answer(request: CacheableRequest, make: MakeReply): Promise<Reply> {
    const { inTurn } = request;
    if (!this.#responses) {
      const makeAlways = () => make(() => request.data.next());
      return inTurn ? inTurn(makeAlways) : makeAlways();
    }
    const state = await request.data.next();
    const found = this.#find(request, state);
    if (found) return found;
    if (!inTurn) return this.#share(request, state, make);
    let hasWaited = false;
    const reply = inTurn(async () => {
      if (!hasWaited) return this.#share(request, state, make);
      // Another request may have made it meanwhile.
      const later = await request.data.next();
      return this.#find(request, later) ?? this.#share(request, later, make);
    });
    hasWaited = true;
    return reply;
  }

  #find({ name, shows }: CacheableRequest, state: DataState): Reply | undefined {
    const cached = this.#responses?.get(name);
    if (!cached || this.#clock.now() - cached.at >= this.#maxAgeMs) return undefined;
    if (cached.version !== this.#versionOf(shows, state)) return undefined;
    if (shows.includes('endorsements')) {
      if (state.changes(cached.sequence)?.some(cached.matches) ?? true) return undefined;
      cached.sequence = Math.max(cached.sequence, state.versions.sequence);
    }
    kept.inc();
    return cached.reply;
  }

  async #share(request: CacheableRequest, state: DataState, make: MakeReply): Promise<Reply> {
    const { name, shows } = request;
    const { sequence } = state.versions;
    const version = this.#versionOf(shows, state);
    const present = this.#making.get(name);
    if (present?.version === version && present.sequence >= sequence) {
      const shared = await present.reply;
      if (shared) {
        kept.inc();
        return shared;
      }
    }
    const making = this.#make(request, { version, sequence }, () => make(async () => state));
    const entry = {
      version,
      sequence,
      reply: making.then(
        ({ repeated }) => repeated,
        () => null,
      ),
    };
    this.#making.set(name, entry);
    try {
      return (await making).reply;
    } finally {
      if (this.#making.get(name) === entry) this.#making.delete(name);
    }
  }

  /** Makes an answer and keeps it, if it can be kept. */
  async #make(
    { name, isGone }: CacheableRequest,
    { version, sequence }: { version: string; sequence: number },
    make: () => Promise<Reply>,
  ): Promise<{ reply: Reply; repeated: RepeatedReply | null }> {
    const at = this.#clock.now();
    const reply = await make();
    made.inc();
    if (!('json' in reply)) return { reply, repeated: null };
    const content = encodeContent(reply.json);
    if (content.length > this.#maxResponseBytes || isGone() || !this.#isWorthKeeping(name, content.length)) {
      return { reply: { ...reply, json: content }, repeated: null };
    }
    const json = RepeatedContent.copyOf(content, () => this.#measure(name, json));
    const repeated = { ...reply, json };
    const matches = createScopePredicate(reply.scope ?? EVERY_CHANGE);
    this.#responses?.set(name, { reply: repeated, version, sequence, matches, at });
    return { reply: repeated, repeated };
  }

  #isWorthKeeping(name: string, bytes: number): boolean {
    if (bytes < ASKED_AGAIN_FROM_BYTES || this.#asked.get(name)) return true;
    this.#asked.set(name, true);
    return false;
  }

  /** Updates the memory of an answer that has grown, if it is still kept. */
  #measure(name: string, content: RepeatedContent): void {
    const cached = this.#responses?.peek(name);
    if (cached?.reply.json === content) this.#responses?.set(name, { ...cached });
  }

  /** The versions that must be equal, and the day in UTC, which decides which elections are upcoming. */
  #versionOf(shows: readonly DataPart[], { versions, history }: DataState): string {
    let version = `${Math.floor(this.#clock.now() / DAY_MS)} ${history}`;
    for (const part of shows) if (part !== 'endorsements') version += ` ${versions[part]}`;
    return version;
  }
}
