/**
 * Kafka after a full disk. It maps its indexes into memory: if a page of one finds no space, Kafka goes on, and the partition
 * takes nothing more until Kafka is started again. That start can drop the last segment of the partition, so everything in it
 * is applied first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { measureLag } from '../../administration/lag.ts';
import type { Brokers } from '../../service/brokers.ts';
import { describeFailure } from '../../service/operator-error.ts';
import type { SupervisedProcess, Supervisor } from '../../service/supervise.ts';
import { inOneTransaction } from '../database.ts';

const ASK_EVERY_MS = 500;

export interface KafkaMending {
  kafka: Supervisor<SupervisedProcess>;
  databaseUrl: string;
  brokers: Brokers;
  topicPrefix: string;
  /** Aborts when everything stops. */
  interrupted: AbortSignal;
  /** Shows a line on the terminal. */
  report(line: string): void;
}

/** Returns a function that starts Kafka again once apply has taken everything that Kafka has now. It never rejects. */
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
    'A full disk can break partitions of Kafka: if it has not ended, it is started again, once all submissions are applied.',
  );
  // One that has ended by itself has a sound successor.
  if ((await untilApplied(options)) && kafka.current() === suspect) await kafka.restart();
}

/** Waits until apply has taken every submission of now, while the servers come back. @returns false if it was interrupted */
async function untilApplied(options: KafkaMending): Promise<boolean> {
  const { databaseUrl, interrupted } = options;
  let ends: Map<number, number> | null = null;
  while (!interrupted.aborted) {
    const lag = await inOneTransaction(databaseUrl, (client) => measureLag(client, options)).catch(
      () => null,
    );
    if (lag !== null) {
      ends ??= new Map(lag.submissions.map(({ partition, stable_end }) => [partition, stable_end]));
      // A broker that ended meanwhile can have come back with less.
      const isApplied = lag.submissions.every(
        ({ partition, done, stable_end }) => done >= Math.min(ends?.get(partition) ?? 0, stable_end),
      );
      if (isApplied) return true;
    }
    await sleep(ASK_EVERY_MS, null, { signal: interrupted }).catch(() => {});
  }
  return false;
}
