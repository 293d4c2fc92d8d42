import { listenForInterrupts } from '../../ops/local/processes/interrupts.ts';

const running = new Set<() => Promise<void>>();
let listening = false;

/**
 * Has this program, when it is interrupted, stop something before it ends: servers lead lives of their own, and would go
 * on without it.
 *
 * @returns to be called once it is stopped otherwise.
 */
export function stopWhenInterrupted(stop: () => Promise<void>): () => void {
  if (!listening) {
    listening = true;
    listenForInterrupts(() => {}).addEventListener('abort', async () => {
      await Promise.allSettled([...running].map((stopOne) => stopOne()));
      process.exit(1);
    });
  }
  running.add(stop);
  return () => running.delete(stop);
}
