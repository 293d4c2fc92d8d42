/**
 * Restarts Kafka after a full disk. Kafka maps its indexes into memory. If a page of an index finds no space, Kafka
 * keeps running, but the partition accepts nothing until a restart. The restart can drop the partition's last segment,
 * so all submissions are applied first.
 */
import type { ServiceLag } from '../../administration/lag.ts';
import { type Clock, monotonicClock } from '../../service/clock.ts';
import { describeFailure } from '../../service/operator-error.ts';
import type { SupervisedProcess, Supervisor } from '../../service/supervise.ts';

const ASK_EVERY_MS = 500;

export interface KafkaMending {
  kafka: Pick<Supervisor<SupervisedProcess>, 'current' | 'restart'>;
  /** Asks Kafka and Postgres. Rejects while one of them does not answer. */
  measureLag(): Promise<Pick<ServiceLag, 'submissions'>>;
  /** Aborts when everything stops. */
  interrupted: AbortSignal;
  /** Shows a line on the terminal. */
  report(line: string): void;
  clock?: Clock;
}

/** Returns a function that restarts Kafka once apply has taken everything in Kafka. The function never rejects. */
export function createKafkaMending(options: KafkaMending): () => Promise<void> {
  let mending: Promise<void> | null = null;
  return () => {
    mending ??= mend(options)
      .catch((error: unknown) => options.report(describeFailure(error)))
      .finally(() => {
        mending = null;
      });
    return mending;
  };
}

async function mend(options: KafkaMending): Promise<void> {
  const { kafka, report } = options;
  const suspect = kafka.current();
  report(
    'A full disk can break partitions of Kafka. If Kafka still runs, it is restarted once all submissions are applied.',
  );
  // If Kafka has ended by itself, its successor is sound.
  if ((await untilApplied(options)) && kafka.current() === suspect) await kafka.restart();
}

/**
 * Waits until apply has taken every current submission, while the servers recover. @returns false if it was interrupted
 */
async function untilApplied({
  measureLag,
  interrupted,
  clock = monotonicClock,
}: KafkaMending): Promise<boolean> {
  let ends: Map<number, number> | null = null;
  while (!interrupted.aborted) {
    const lag = await measureLag().catch(() => null);
    if (lag !== null) {
      ends ??= new Map(lag.submissions.map(({ partition, stable_end }) => [partition, stable_end]));
      // After a crash meanwhile, a broker can have lost records.
      const isApplied = lag.submissions.every(
        ({ partition, done, stable_end }) => done >= Math.min(ends?.get(partition) ?? 0, stable_end),
      );
      if (isApplied) return true;
    }
    await clock.wait(ASK_EVERY_MS, interrupted);
  }
  return false;
}
