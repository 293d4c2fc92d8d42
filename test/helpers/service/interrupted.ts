import { listenForInterrupts } from '../../../ops/local/processes/interrupts.ts';

const running = new Set<() => Promise<void>>();
let listening = false;

/** Stops all that still runs and would be stopped on an interrupt. */
export async function stopRunning(): Promise<void> {
  await Promise.allSettled([...running].map((stopOne) => stopOne()));
}

/**
 * Stops something before this program ends on an interrupt, since servers are processes of their own and would run on.
 *
 * @returns a function that cancels this, for when it was stopped otherwise
 */
export function stopWhenInterrupted(stop: () => Promise<void>): () => void {
  if (!listening) {
    listening = true;
    listenForInterrupts(() => {}).addEventListener('abort', async () => {
      await stopRunning();
      process.exit(1);
    });
  }
  running.add(stop);
  return () => running.delete(stop);
}
