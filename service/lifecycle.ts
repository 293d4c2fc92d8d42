import type { Logger } from './log.ts';
import { listenForSignals } from './signals.ts';
import { stopTracing } from './tracing.ts';

/** A started part that can be stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** A long-running part of the service that knows whether it can do its work now. */
export interface Service extends Stoppable {
  isReady(): boolean;
}

/** The time limit for stopping, in milliseconds. After it, the process counts as stuck and exits. */
export const STOP_DEADLINE_MS = 30_000;

/** Stops the service on one of the signals, then exits. Another signal after that exits at once. */
export function stopOnSignal(
  service: Stoppable,
  log: Logger,
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'],
): void {
  const begin = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('could not stop in time');
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    const stop = async () => {
      await service.stop();
      await stopTracing();
    };
    stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  listenForSignals(signals, begin, () => process.exit(1));
}
