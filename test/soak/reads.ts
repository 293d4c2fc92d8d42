import { setTimeout as sleep } from 'node:timers/promises';

/** How long all gateways may be away before a read fails, in milliseconds. */
const AWAY_MS = 10_000;

/** An answer to a read. */
export interface ReadAnswer {
  path: string;
  status: number;
  /** Its duration, in milliseconds. */
  ms: number;
}

export interface ReadsPlan {
  /** Gateways in turn: if one is away, the next one is asked, as behind a proxy. */
  bases: readonly string[];
  key: string;
  paths: readonly string[];
  /** The pause after each answer, in milliseconds. */
  pauseMs: number;
}

/** Requests paths in turn, one after another, until the signal aborts. */
export class Reads {
  readonly done: Promise<void>;
  #answers: ReadAnswer[] = [];

  constructor({ bases, key, paths, pauseMs }: ReadsPlan, over: AbortSignal) {
    const headers = { Authorization: `Bearer ${key}` };
    const ask = async (url: string): Promise<number> => {
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    const askAny = async (path: string, turn: number): Promise<number> => {
      const deadline = performance.now() + AWAY_MS;
      for (let next = turn; ; next += 1) {
        const mayAskNext = bases.length > 1 && performance.now() < deadline;
        const status = await ask(`${bases[next % bases.length]}${path}`).catch((error) => {
          if (mayAskNext) return 503;
          throw error;
        });
        if (status !== 503 || !mayAskNext) return status;
        await sleep(pauseMs);
      }
    };
    const run = async () => {
      for (let turn = 0; !over.aborted; turn += 1) {
        const path = paths[turn % paths.length] ?? '';
        const started = performance.now();
        const status = await askAny(path, turn);
        this.#answers.push({ path, status, ms: performance.now() - started });
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
