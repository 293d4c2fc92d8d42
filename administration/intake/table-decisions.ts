import type { Alias } from '../../schemas/alias-files.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { Sources } from './sources.ts';

/** The most decisions of one table that are remembered. */
const MAX_DECISIONS = 50_000;

/** What a table decides about names. A decision counts for the rows below it. */
export class TableDecisions {
  readonly #sources: Pick<Sources, 'learn' | 'unlearn'>;
  /** Null if decisions about a name differ. */
  readonly #byName = new Map<string, Alias | null>();

  constructor(sources: Pick<Sources, 'learn' | 'unlearn'>) {
    this.#sources = sources;
  }

  /** @throws OperatorError if the table has too many */
  add(alias: Alias): void {
    const name = JSON.stringify([alias.kind, alias.scope, alias.text]);
    const before = this.#byName.get(name);
    const isClear = before === undefined || before?.key === alias.key;
    this.#byName.set(name, isClear ? alias : null);
    if (isClear) this.#sources.learn(alias);
    else this.#sources.unlearn(alias);
    if (this.#byName.size > MAX_DECISIONS) {
      throw new OperatorError('The table has more than 50,000 decisions: send it in several parts.');
    }
  }

  /** The decisions to remember: none about a name on which the table decides in two ways. */
  get clear(): Alias[] {
    return [...this.#byName.values()].filter((alias) => alias !== null);
  }
}
