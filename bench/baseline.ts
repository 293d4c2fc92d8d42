import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { recordQueries } from '../test/helpers/postgres/reads.ts';
import { stopWhenInterrupted } from '../test/helpers/service/interrupted.ts';
import type { Target } from './load.ts';

/** The server of `baseline-server.ts`, in its own process. */
export class Baseline {
  readonly #databaseUrl: string;
  readonly #process: ChildProcess = fork('bench/baseline-server.ts');
  readonly #forget = stopWhenInterrupted(async () => this.stop());

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /**
   * The baseline's addresses for a request: the same SQL and bytes, the same kept for a second, only the SQL, and only
   * the bytes.
   */
  async targetsOf(path: string): Promise<Record<'sql' | 'cached' | 'queries' | 'memory', Target>> {
    this.#process.send({
      databaseUrl: this.#databaseUrl,
      recorded: await recordQueries(this.#databaseUrl, path),
    });
    const [{ port, index }] = await once(this.#process, 'message');
    const target = (kind: string): Target => ({ url: `http://127.0.0.1:${port}/${kind}/${index}` });
    const targets = {
      sql: target('sql'),
      cached: target('cached'),
      queries: target('queries'),
      memory: target('memory'),
    };
    const bodyOf = async ({ url }: Target) => (await fetch(url)).text();
    if ((await bodyOf(targets.sql)) !== (await bodyOf(targets.memory))) {
      throw new Error(`The baseline makes another answer for ${path} than the service.`);
    }
    return targets;
  }

  stop(): void {
    this.#forget();
    this.#process.kill('SIGTERM');
  }
}
