import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Order, ReadersCount, ReadersPlan, ReadersVerdict } from './readers.ts';

const PROGRAM = path.join(import.meta.dirname, 'readers.ts');

/** Readers of the stream in their own processes, so that they do not delay the service or the test. */
export class ReaderProcesses {
  readonly #children: { process: ChildProcess; ended: Promise<never> }[];

  /** Starts these streams, spread over these processes. */
  constructor(processes: number, { streams, ...plan }: Omit<ReadersPlan, 'seed'>) {
    this.#children = Array.from({ length: processes }, (_, index) => {
      const share = Math.floor(streams / processes) + (index < streams % processes ? 1 : 0);
      const own: ReadersPlan = { ...plan, streams: share, seed: String(index) };
      const child = fork(PROGRAM, [JSON.stringify(own)], { execArgv: [] });
      const ended = once(child, 'exit').then(([code]) => {
        throw new Error(`Readers ended with ${code}.`);
      });
      // Only a caller that waits for an answer needs this failure.
      ended.catch(() => {});
      return { process: child, ended };
    });
  }

  /** The number of open streams. */
  async countConnected(): Promise<number> {
    const counts = await this.#ask<ReadersCount>({ count: true });
    return counts.reduce((sum, { connected }) => sum + connected, 0);
  }

  /**
   * Lets every reader reach the end of the stream, and compares the received frames with the change log.
   *
   * @param upTo the sequence of the end
   */
  async finish(upTo: number, timeoutMs: number): Promise<ReadersVerdict> {
    const verdicts = await this.#ask<ReadersVerdict>({ finish: { upTo, timeoutMs } });
    const total: ReadersVerdict = {
      faults: [],
      events: 0,
      repeats: 0,
      copies: 0,
      mirrors: 0,
      connections: 0,
      refusals: {},
    };
    for (const { faults, events, repeats, copies, mirrors, connections, refusals } of verdicts) {
      total.faults.push(...faults);
      total.events += events;
      total.repeats += repeats;
      total.copies += copies;
      total.mirrors += mirrors;
      total.connections += connections;
      for (const [name, count] of Object.entries(refusals)) {
        total.refusals[name] = (total.refusals[name] ?? 0) + count;
      }
    }
    return total;
  }

  /** Ends the processes at once. */
  stop(): void {
    for (const child of this.#children) child.process.kill('SIGKILL');
  }

  async #ask<Answer>(order: Order): Promise<Answer[]> {
    return Promise.all(
      this.#children.map(async ({ process, ended }) => {
        const answer = once(process, 'message').then(([message]) => message as Answer);
        process.send(order);
        return Promise.race([answer, ended]);
      }),
    );
  }
}
