import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Opening, Order, Report } from './readers.ts';

/** Readers of streams, in their own processes. */
export class ReaderPool {
  readonly #children: ChildProcess[];

  private constructor(children: ChildProcess[]) {
    this.#children = children;
  }

  /** Opens a stream for each path. */
  static async open({ paths, ...opening }: Opening, processes = 2): Promise<ReaderPool> {
    const children = Array.from({ length: processes }, () => fork('bench/stream/readers.ts'));
    for (const child of children) {
      child.on('exit', (code) => {
        if (code) throw new Error('A process of readers has failed; its output is above.');
      });
    }
    const pool = new ReaderPool(children);
    const each = Math.ceil(paths.length / processes);
    await Promise.all(
      children.map((child, index) =>
        pool.#ask(child, { open: { ...opening, paths: paths.slice(index * each, (index + 1) * each) } }),
      ),
    );
    return pool;
  }

  /** Begins to look for a text. @returns a promise that resolves when every reader has received it */
  async expect(text: string): Promise<{ received: Promise<void> }> {
    await Promise.all(this.#children.map((child) => this.#ask(child, { expect: text })));
    const all = this.#children.map(async (child) => {
      const [report]: Report[] = await once(child, 'message');
      if (!report || !('received' in report)) throw new Error('A reader answered another question.');
    });
    return { received: Promise.all(all).then(() => {}) };
  }

  /** The total numbers of events and bytes that all readers have received. */
  async count(): Promise<{ events: number; bytes: number }> {
    const reports = await Promise.all(this.#children.map((child) => this.#ask(child, { count: true })));
    const total = { events: 0, bytes: 0 };
    for (const report of reports) {
      if (!('events' in report)) throw new Error('A reader answered another question.');
      total.events += report.events;
      total.bytes += report.bytes;
    }
    return total;
  }

  close(): void {
    for (const child of this.#children) child.kill();
  }

  async #ask(child: ChildProcess, order: Order): Promise<Report> {
    const answer = once(child, 'message');
    child.send(order);
    const [report] = await answer;
    return report;
  }
}
