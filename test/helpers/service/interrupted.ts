import os from 'node:os';
import { listenForInterrupts } from '../../../ops/local/processes/interrupts.ts';

const running = new Set<() => Promise<void>>();
let listening = false;

/** Stops everything that is registered and still runs. */
export async function stopRunning(): Promise<void> {
  await Promise.allSettled([...running].map((stopOne) => stopOne()));
}

/**
 * Stops something before this program ends on an interrupt. Servers are processes of their own and would otherwise
 * continue.
 *
 * @returns a function that cancels this after another stop
 */
export function stopWhenInterrupted(stop: () => Promise<void>): () => void {
  if (!listening) {
    listening = true;
    const interrupted = listenForInterrupts(() => {});
    interrupted.addEventListener('abort', async () => {
      // Calls to the servers fail from now on.
      process.on('uncaughtException', () => {});
      await stopRunning();
      process.exit(128 + os.constants.signals[interrupted.reason as NodeJS.Signals]);
    });
  }
  running.add(stop);
  return () => running.delete(stop);
}
