/** Keeps a process running: restarts it when it ends, with growing pauses if it keeps ending. */
import { type Clock, monotonicClock } from './clock.ts';

/** The wait before the first restart, in milliseconds. It doubles with each further one. */
const MIN_DELAY_MS = 100;
/** After a run of this length, the first wait is short again. */
const HEALTHY_AFTER_MS = 5000;

export interface SupervisedProcess {
  /** Resolves with a description when it has ended. Never rejects. */
  exited: Promise<string>;
  stop(): Promise<void>;
}

export interface SuperviseOptions<T extends SupervisedProcess> {
  name: string;
  start(): Promise<T>;
  /** Shows a line on the terminal. */
  report(line: string): void;
  /** Whether this ending is final; otherwise the process is restarted. */
  isFinal?(ending: string): boolean;
  /** The longest wait before a restart, in milliseconds. */
  maxDelayMs?: number;
  clock?: Clock;
}

export interface Supervisor<T extends SupervisedProcess> {
  /** The current or last process. */
  current(): T;
  /** Ends the current process, if it runs. The process is then restarted as after any ending. */
  restart(): Promise<void>;
  /** Stops it for good, and waits until it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a process and keeps it running until `stop`.
 *
 * @throws the error of the first start; later failures to start are reported and retried
 */
export async function supervise<T extends SupervisedProcess>(
  options: SuperviseOptions<T>,
): Promise<Supervisor<T>> {
  const { name, report, isFinal = () => false, maxDelayMs = 10_000, clock = monotonicClock } = options;
  const stopping = new AbortController();

  let current = await options.start();
  let isRunning = true;
  /** Settles when `restart` has fully ended a process. */
  let restarting: Promise<void> = Promise.resolve();

  async function startAgain(delayMs: number): Promise<number> {
    await clock.wait(delayMs, stopping.signal);
    if (stopping.signal.aborted) return delayMs;
    try {
      current = await options.start();
      isRunning = true;
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
    let delayMs = MIN_DELAY_MS;
    while (!stopping.signal.aborted) {
      const startedAt = clock.now();
      const ending = await current.exited;
      isRunning = false;
      await restarting.catch(() => {});
      if (stopping.signal.aborted || isFinal(ending)) return;
      delayMs = clock.now() - startedAt >= HEALTHY_AFTER_MS ? MIN_DELAY_MS : nextDelay(delayMs);
      report(`${name} ended (${ending}); starting it again.`);
      delayMs = await startAgain(delayMs);
    }
  }

  const watched = watch();

  return {
    current: () => current,
    async restart() {
      if (!isRunning) return;
      restarting = current.stop();
      await restarting;
    },
    async stop() {
      stopping.abort();
      await current.stop();
      await watched;
      // A concurrent start may have replaced the process.
      await current.stop();
    },
  };
}
