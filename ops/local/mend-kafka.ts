/**
 * Restarts Kafka after a full disk. Kafka maps its indexes into memory. If a page of an index finds no space, Kafka
 * keeps running, but the partition accepts nothing until a restart. The restart can drop the partition's last segment,
 * so all submissions are applied first. But a Kafka that hangs, as some do after such a fault, lets none be applied: it is
 * restarted too.
 */
import type { ServiceLag } from '../../administration/lag.ts';
import { type Clock, monotonicClock } from '../../service/clock.ts';
import { describeFailure } from '../../service/operator-error.ts';
import type { SupervisedProcess, Supervisor } from '../../service/supervise.ts';

const ASK_EVERY_MS = 500;
/** A Kafka that has not answered for this long hangs. */
const HANGS_AFTER_MS = 30_000;

export interface KafkaMending {
  kafka: Pick<Supervisor<SupervisedProcess>, 'current' | 'restart'>;
  /** Asks Kafka and Postgres. Rejects while one of them does not answer. */
  measureLag(): Promise<Pick<ServiceLag, 'submissions'>>;
  /** Asks Kafka about the topic of submissions. Rejects while it does not answer. */
  askKafka(): Promise<unknown>;
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
  if ((await untilDue(options)) && kafka.current() === suspect) await kafka.restart();
}

/**
 * Waits until apply has taken every current submission, or Kafka hangs, while the servers recover. @returns false if it
 * was interrupted
 */
async function untilDue(options: KafkaMending): Promise<boolean> {
  const { measureLag, askKafka, interrupted, report, clock = monotonicClock } = options;
  let answeredAt = clock.now();
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
    if (lag !== null || (await isAnswered(askKafka()))) answeredAt = clock.now();
    if (clock.now() - answeredAt >= HANGS_AFTER_MS) {
      report(
        'Kafka does not answer any more: it is restarted now, and can lose submissions that are not applied.',
      );
      return true;
    }
    await clock.wait(ASK_EVERY_MS, interrupted);
  }
  return false;
}

const isAnswered = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );
