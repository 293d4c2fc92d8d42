import { LRUCache } from 'lru-cache';

/** How many texts are named. Each takes 60 to 330 KB of every connection that runs it, on the server. */
const MOST_NAMES = 32;
/** How often a text is run before it is named. */
const RUNS_BEFORE_NAME = 3;
/** Of so many texts, those run most recently, the runs are counted. */
const COUNTED_TEXTS = 500;

/**
 * Names of the statements that are run again and again. A connection prepares a statement with a name once, so that the
 * server parses its text once: for a page, that is a tenth to a fifth of its time.
 *
 * The filters of a list have many combinations, so a text is named only once it was run several times, and only the
 * first texts that were.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #runs = new LRUCache<string, number>({ max: COUNTED_TEXTS });

  /** The name of a text that is about to be run; undefined if it has none. A text that has a name keeps it. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size === MOST_NAMES) return name;
    const runs = (this.#runs.get(text) ?? 0) + 1;
    this.#runs.set(text, runs);
    if (runs <= RUNS_BEFORE_NAME) return undefined;
    this.#runs.delete(text);
    const given = `page-${this.#names.size + 1}`;
    this.#names.set(text, given);
    return given;
  }
}
