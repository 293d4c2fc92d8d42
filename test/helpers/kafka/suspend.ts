import { setTimeout as sleep } from 'node:timers/promises';

/** A request stays unanswered if a broker that runs would have answered it long before. */
const PATIENCE_MS = 1000;

/**
 * Suspends the process of a broker: its connections stay open, and nothing answers on them.
 *
 * A process may still answer for a moment after the signal, so this asks until a request stays unanswered.
 *
 * @returns that request, which ends when the client gives it up
 */
export async function suspend<T>(pid: number, ask: () => Promise<T>): Promise<{ unanswered: Promise<T> }> {
  process.kill(pid, 'SIGSTOP');
  for (;;) {
    const unanswered = ask();
    const isAnswered = await Promise.race([unanswered.then(() => true), sleep(PATIENCE_MS, false)]);
    if (!isAnswered) return { unanswered };
  }
}
