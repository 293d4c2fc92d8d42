import type { Clock } from './clock.ts';
import type { Stoppable } from './lifecycle.ts';

/**
 * Does something again and again, `everyMs` after it was done before, until it is stopped. Stopping waits for what is
 * under way.
 *
 * @param work handles its own failures.
 */
export function repeat(everyMs: number, clock: Clock, work: () => Promise<void>): Stoppable {
  const stopping = new AbortController();
  const run = async () => {
    for (;;) {
      await clock.wait(everyMs, stopping.signal);
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
