import { Counter } from 'prom-client';
import type { Clock } from '../../service/clock.ts';
import type { DataPart } from '../../store/reads/data-versions.ts';
import { type Content, encodeContent } from '../http/content.ts';
import type { Reply } from '../http/route.ts';
import type { DataVersion } from './data-version.ts';

/** Larger answers are not kept, in bytes: one would push out many that are asked for more often. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** How old a kept answer may be, in milliseconds: a stream's cursor in it carries the time at which it was made. */
const MAX_AGE_MS = 60_000;
/** The part of the window that such a cursor may have lost, where the window is short. */
const MAX_AGE_OF_WINDOW = 0.1;
const DAY_MS = 86_400_000;
/** What an answer takes up beside its bytes and its name. */
const ENTRY_BYTES = 1024;

const answers = new Counter({
  name: 'answers_total',
  help: 'Answers that can be kept: those that were, and those that were made.',
  labelNames: ['origin'],
});
const kept = answers.labels('kept');
const made = answers.labels('made');

/** What is asked for. */
interface Question {
  /** Path and query. Who asks is no part of it: only answers that are the same for all are kept. */
  name: string;
  /** The parts of the data that the answer is made of. */
  shows: readonly DataPart[];
  /** Whether who asked has gone away: an answer may then have been cut short, and is not kept. */
  isGone: () => boolean;
}

/** An answer that is encoded, and so can be sent again as it is. */
type EncodedReply = Extract<Reply, { json: unknown }> & { json: Content };

interface Kept {
  reply: EncodedReply;
  /** What the data was before the answer was made, so that the answer is of this version or of a later one. */
  version: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface AnswerMemoryOptions {
  maxBytes: number;
  dataVersion: DataVersion;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  clock: Clock;
}

/** What an answer takes up. */
const bytesOf = (name: string, { json }: EncodedReply): number => json.length + 2 * name.length + ENTRY_BYTES;

/** A copy in memory of its own: a short text may hold on to the whole block of memory that it was cut from. */
function copyContent({ pieces, length, etag }: Content): Content {
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const piece of pieces) end += piece.copy(bytes, end);
  return { pieces: [bytes], length, etag };
}

/**
 * Answers that were given, to be given again as long as they still are the answer: the store is asked at every request
 * whether what they show has changed since (INV-1). Those asked for longest ago give way to others.
 */
export class AnswerMemory {
  readonly #options: AnswerMemoryOptions;
  /** By name, in the order in which they were last asked for. */
  readonly #answers = new Map<string, Kept>();
  #bytes = 0;

  constructor(options: AnswerMemoryOptions) {
    this.#options = options;
  }

  /**
   * The answer to a question.
   *
   * @param make makes it where none is kept.
   * @throws whatever `make` throws, and what the store throws when it cannot be asked.
   */
  async answer({ name, shows, isGone }: Question, make: () => Promise<Reply>): Promise<Reply> {
    const { maxBytes, retentionMs, clock } = this.#options;
    if (maxBytes === 0) return make();
    const version = await this.#versionOf(shows);
    const at = clock.now();
    const maxAgeMs = Math.min(MAX_AGE_MS, retentionMs * MAX_AGE_OF_WINDOW);
    const known = this.#answers.get(name);
    if (known && known.version === version && at - known.at < maxAgeMs) {
      this.#answers.delete(name);
      this.#answers.set(name, known);
      kept.inc();
      return known.reply;
    }
    const reply = await make();
    made.inc();
    if (!('json' in reply)) return reply;
    const json = encodeContent(reply.json);
    if (json.length <= MAX_ANSWER_BYTES && !isGone()) {
      this.#keep(name, { reply: { ...reply, json: copyContent(json) }, version, at });
    }
    return { ...reply, json };
  }

  /** On another day, in UTC, other elections are upcoming, of the same data. */
  async #versionOf(shows: readonly DataPart[]): Promise<string> {
    const { dataVersion, clock } = this.#options;
    const versions = await dataVersion.current();
    let version = String(Math.floor(clock.now() / DAY_MS));
    for (const part of shows) version += ` ${versions[part]}`;
    return version;
  }

  #keep(name: string, answer: Kept): void {
    this.#drop(name);
    this.#answers.set(name, answer);
    this.#bytes += bytesOf(name, answer.reply);
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#options.maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const known = this.#answers.get(name);
    if (!known) return;
    this.#bytes -= bytesOf(name, known.reply);
    this.#answers.delete(name);
  }
}
