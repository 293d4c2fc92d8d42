/** Keeps something running: what ends by itself is started again, soon at first and more slowly while it keeps ending. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Running {
  /** Settles when it has ended, with how it ended; never rejects. */
  exited: Promise<string>;
  stop(): Promise<void>;
}

/** Time as the supervisor sees it, so that a test can give it another. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

export interface KeepRunningOptions<T extends Running> {
  name: string;
  start(): Promise<T>;
  /** Shows a line to whoever watches. */
  report(line: string): void;
  /** The wait before the first restart, in milliseconds; it doubles up to `maxDelayMs`. */
  minDelayMs?: number;
  maxDelayMs?: number;
  /** One that lasted this long counts as healthy, and its end as the first again. */
  healthyAfterMs?: number;
  clock?: Clock;
}

export interface Keeper<T extends Running> {
  /** The one that runs now, or ran last. */
  current(): T;
  /** Stops it, and starting it again; waits until it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts it and keeps it running until `stop`.
 *
 * @throws whatever the first start throws; later failures to start are reported and tried again
 */
export async function keepRunning<T extends Running>(options: KeepRunningOptions<T>): Promise<Keeper<T>> {
  const {
    name,
    report,
    minDelayMs = 100,
    maxDelayMs = 10_000,
    healthyAfterMs = 5000,
    clock = systemClock,
  } = options;
  const stopping = new AbortController();

  let current = await options.start();

  async function startAgain(delayMs: number): Promise<number> {
    await clock.sleep(delayMs, stopping.signal);
    try {
      current = await options.start();
    } catch (error) {
      report(`${name} could not be started again: ${(error as Error).message}`);
      return startAgain(nextDelay(delayMs));
    }
    return delayMs;
  }

  function nextDelay(delayMs: number): number {
    return Math.min(maxDelayMs, delayMs * 2);
  }

  async function watch(): Promise<void> {
    let delayMs = minDelayMs;
    while (!stopping.signal.aborted) {
      const startedAt = clock.now();
      const ending = await current.exited;
      if (stopping.signal.aborted) return;
      delayMs = clock.now() - startedAt >= healthyAfterMs ? minDelayMs : nextDelay(delayMs);
      report(`${name} ended (${ending}); starting it again.`);
      delayMs = await startAgain(delayMs);
    }
  }

  const watched = watch().catch((error: unknown) => {
    // Waiting for the next start is what `stop` cuts short.
    if (!stopping.signal.aborted) throw error;
  });

  return {
    current: () => current,
    async stop() {
      stopping.abort();
      await current.stop();
      await watched;
      // A start that was under way when `stop` came has put another one in its place.
      await current.stop();
    },
  };
}
