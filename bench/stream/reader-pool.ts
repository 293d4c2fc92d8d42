import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Order, Report } from './readers.ts';

/** Readers of streams, in processes of their own. */
export class ReaderPool {
  readonly #children: ChildProcess[];

  private constructor(children: ChildProcess[]) {
    this.#children = children;
  }

  /** Opens a stream for each path. */
  static async open(
    { port, key }: { port: number; key: string },
    paths: string[],
    processes = 2,
  ): Promise<ReaderPool> {
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
        pool.#ask(child, { open: { port, key, paths: paths.slice(index * each, (index + 1) * each) } }),
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

  /** The number of events that all readers together have received. */
  async countEvents(): Promise<number> {
    const reports = await Promise.all(this.#children.map((child) => this.#ask(child, { count: true })));
    return reports.reduce((sum, report) => sum + ('events' in report ? report.events : 0), 0);
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
