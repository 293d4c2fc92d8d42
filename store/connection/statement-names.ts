import { createLruCache } from '../../service/lru-cache.ts';

/** The most named texts. Each takes 60 to 330 KB of the server's memory per connection that runs it. */
const MOST_NAMES = 32;
/** The number of runs before a text is named. */
const RUNS_BEFORE_NAME = 3;
/** The number of most recent texts with counted runs. */
const COUNTED_TEXTS = 500;

/**
 * Names of repeated statements. A connection prepares a named statement once, so the server parses its text
 * once. For a page, that saves a tenth to a fifth of its time.
 *
 * The filters of a list have many combinations. So a text is named only after several runs, and only the
 * first such texts are named.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #runs = createLruCache<string, number>(COUNTED_TEXTS);

  /** The name for the next run of a text; undefined if it is unnamed. A named text keeps its name. */
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
