import type { Clock } from './clock.ts';
import type { Stoppable } from './lifecycle.ts';

/**
 * Repeats `work`, with a pause of `everyMs` before each run, until it is stopped. Stopping waits for a run in
 * progress.
 *
 * @param everyMs a function is asked before each pause
 * @param work must not reject
 */
export function repeat(
  everyMs: number | (() => number),
  clock: Clock,
  work: () => Promise<unknown>,
): Stoppable {
  const stopping = new AbortController();
  const run = async () => {
    for (;;) {
      await clock.wait(typeof everyMs === 'number' ? everyMs : everyMs(), stopping.signal);
      if (stopping.signal.aborted) return;
      await work();
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
