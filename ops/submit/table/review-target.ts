import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../../service/operator-error.ts';

/** The usual name of a table's review file: `list-review.csv`, and `list-review-2.csv` for a review file. */
export function nameReview(table: string): string {
  const { dir, name } = path.parse(table);
  const [, before = name, number] = /^(.*)-review(?:-([0-9]{1,6}))?$/.exec(name) ?? [];
  const next = before === name ? '' : `-${Number(number ?? 1) + 1}`;
  return path.join(dir, `${before}-review${next}.csv`);
}

/** A review file, which is created with its first line. */
export class ReviewTarget {
  readonly file: string;
  #handle: FileHandle | null = null;
  #isCreated = false;
  #text = '';

  constructor(file: string) {
    this.file = file;
  }

  /** @throws OperatorError if the file exists already, or cannot be created */
  async write(line: string): Promise<void> {
    this.#handle ??= await open(this.file, 'wx').catch((error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EEXIST'
          ? 'exists already, and perhaps has decisions: submit it, move it away, or name another file with --review'
          : `cannot be created (${error.message}): name another file with --review`;
      throw new OperatorError(`The review file ${this.file} ${reason}. Nothing was sent.`, { cause: error });
    });
    this.#isCreated = true;
    this.#text += line;
    if (this.#text.length > 64 * 1024) await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#handle?.writeFile(text).catch((error: Error) => {
      throw new OperatorError(
        `The review file ${this.file} cannot be written (${error.message}): make room, or name another file with ` +
          '--review. Nothing was sent.',
        { cause: error },
      );
    });
  }

  /** Completes the file. Call this before anything is sent. @throws OperatorError if it cannot be written */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#close();
  }

  /** Removes the file, if this created it. */
  async discard(): Promise<void> {
    await this.#close();
    if (this.#isCreated) await rm(this.file, { force: true });
  }

  async #close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }
}
