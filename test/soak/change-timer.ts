import { setTimeout as sleep } from 'node:timers/promises';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { readEvents } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';
import { createStatement } from './ballot.ts';
import type { Cluster } from './cluster.ts';

/** A change on its way, with times of `performance.now()`; infinite for missing steps. */
export interface TimedChange {
  /** Its due time for submission. */
  dueAt: number;
  /** The time at which Kafka acknowledged the submission. */
  acknowledgedAt: number;
  /** The time at which a client of the stream had the change. */
  receivedAt: number;
}

const TICK_MS = 10;
const END_TIMEOUT_MS = 60_000;

/**
 * Submits changes at a rate, and notes when Kafka has acknowledged each and when a client of the first gateway has it.
 */
export class ChangeTimer {
  /** By statement. */
  readonly #changes = new Map<string, TimedChange>();
  readonly #over = new AbortController();
  readonly #reading = new AbortController();
  #submitting: Promise<void> = Promise.resolve();
  #hasStreamEnded = false;

  /** @param rate changes a second */
  static async start(cluster: Cluster, rate: number): Promise<ChangeTimer> {
    const timer = new ChangeTimer();
    const producer = await openProducer(cluster.brokers, topicNames().submissions);
    await timer.#openStream(cluster);
    timer.#submitting = timer.#submit(producer, rate);
    return timer;
  }

  /** The changes that were due between two times. */
  between(from: number, to: number): TimedChange[] {
    return [...this.#changes.values()].filter(({ dueAt }) => dueAt >= from && dueAt < to);
  }

  /** Waits until the client has every change. @throws Error if the stream has ended or something is missing */
  async finish(): Promise<void> {
    this.#over.abort();
    await this.#submitting;
    const isDone = () => [...this.#changes.values()].every(({ receivedAt }) => Number.isFinite(receivedAt));
    await until('every change to be received', async () => this.#hasStreamEnded || isDone(), END_TIMEOUT_MS);
    if (!isDone()) throw new Error('The stream ended before every change was received.');
    this.#reading.abort();
  }

  async #openStream({ gateways, key }: Cluster): Promise<void> {
    const response = await fetch(`${gateways[0]?.base}/v1/stream`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: this.#reading.signal,
    });
    void readEvents(response, {
      onEvent: ({ event, data }) => {
        const change = event === 'endorsement' && this.#changes.get(JSON.parse(data).endorsement.statement);
        if (change) change.receivedAt = performance.now();
      },
    })
      .catch(() => {})
      .finally(() => {
        this.#hasStreamEnded = true;
      });
  }

  async #submit(producer: MessageProducer, rate: number): Promise<void> {
    const startedAt = performance.now();
    for (let made = 0; !this.#over.signal.aborted; await sleep(TICK_MS)) {
      const due: TimedChange[] = [];
      const messages: { key: string; value: Buffer }[] = [];
      for (; startedAt + (made * 1000) / rate <= performance.now(); made += 1) {
        const statement = `Timed change ${made}.`;
        const submission = createStatement(made, statement);
        const change = {
          dueAt: startedAt + (made * 1000) / rate,
          acknowledgedAt: Number.POSITIVE_INFINITY,
          receivedAt: Number.POSITIVE_INFINITY,
        };
        this.#changes.set(statement, change);
        due.push(change);
        messages.push({ key: submission.endorser, value: submissionCodec.encode(submission) });
      }
      if (messages.length === 0) continue;
      await producer.send(messages);
      for (const change of due) change.acknowledgedAt = performance.now();
    }
    await producer.close();
  }
}
