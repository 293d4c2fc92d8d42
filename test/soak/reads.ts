import { setTimeout as sleep } from 'node:timers/promises';

/** An answer to a read. */
export interface ReadAnswer {
  path: string;
  status: number;
  /** Its duration, in milliseconds. */
  ms: number;
}

/** Requests paths of a gateway in turn, one after another, until the signal aborts. */
export class Reads {
  readonly done: Promise<void>;
  #answers: ReadAnswer[] = [];

  /** @param pauseMs the pause after each answer, in milliseconds */
  constructor(
    { base, key, paths, pauseMs }: { base: string; key: string; paths: readonly string[]; pauseMs: number },
    over: AbortSignal,
  ) {
    const headers = { Authorization: `Bearer ${key}` };
    const run = async () => {
      for (let turn = 0; !over.aborted; turn += 1) {
        const path = paths[turn % paths.length] ?? '';
        const started = performance.now();
        const response = await fetch(`${base}${path}`, { headers });
        await response.arrayBuffer();
        this.#answers.push({ path, status: response.status, ms: performance.now() - started });
        await sleep(pauseMs);
      }
    };
    this.done = run();
  }

  /** The answers since the last call. */
  take(): ReadAnswer[] {
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }
}
