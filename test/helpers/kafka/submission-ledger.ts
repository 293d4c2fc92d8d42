import { expect } from '@jest/globals';
import { topicNames } from '../../../kafka/topic-names.ts';
import { type Rejection, submissionCodec } from '../../../schemas/submission.ts';
import { endorse } from '../ballots/submissions.ts';
import type { TestService } from '../service/service.ts';
import { until } from '../until.ts';
import { loadAllRejections } from './all-rejections.ts';
import type { OutsideProducer, OutsideRecord, Place } from './outside-client.ts';
import { startKafkajsClient } from './outside-javascript.ts';

/** The service's partitions whose submissions are counted. */
export const PARTITIONS = 12;
/** On a machine that does other work as well. */
const PATIENCE_MS = 100_000;

/** A record, and its expected result: an event with this statement, a rejection, or nothing. */
export type LedgerRecord = OutsideRecord & { due: { event: string } | 'rejection' | 'nothing' };

type Values = Partial<Pick<OutsideRecord, 'key' | 'headers' | 'timestamp'>>;

/** A record that cannot be applied. */
export function bad(partition: number, value: Buffer | null, values: Values = {}): LedgerRecord {
  return { partition, key: Buffer.from('bakers-local-1'), value, ...values, due: 'rejection' };
}

/**
 * Keeps account of all records that a test sends to the submissions topic of its own service. Every valid one must
 * become one event, and every invalid one must be in the rejected topic with its origin (INV-14).
 */
export class SubmissionLedger {
  readonly #service: TestService;
  readonly #statements: string[] = [];
  readonly #rejected = new Set<string>();
  readonly #rejections = new Map<string, Rejection>();
  readonly #readUpTo = new Map<number, number>();
  #made = 0;
  #probe: OutsideProducer | undefined;

  constructor(service: TestService) {
    this.#service = service;
  }

  get topic(): string {
    return topicNames(this.#service.topicPrefix).submissions;
  }

  /** A submission that makes one event with a unique statement. */
  good(partition: number, values: Values = {}): LedgerRecord {
    this.#made += 1;
    const event = `Statement ${this.#made}.`;
    const value = submissionCodec.encode(endorse('bakers-local-1', 'mayor', 'ann', { statement: event }));
    return { partition, key: Buffer.from('bakers-local-1'), value, ...values, due: { event } };
  }

  /** Sends records, and notes their expected results. */
  async send(producer: OutsideProducer, records: readonly LedgerRecord[]): Promise<Place[]> {
    const places = await producer.send(records.map(({ due, ...record }) => record));
    for (const [index, { due }] of records.entries()) {
      const { partition, offset } = places[index] as Place;
      if (due === 'rejection') this.#rejected.add(`${partition}/${offset}`);
      else if (due !== 'nothing') this.#statements.push(due.event);
    }
    return places;
  }

  /** Sends records that are set aside together, under the first one's offset. */
  async sendUnreadable(producer: OutsideProducer, records: readonly OutsideRecord[]): Promise<Place[]> {
    const places = await producer.send(records);
    const [first] = places;
    if (first) this.#rejected.add(`${first.partition}/${first.offset}`);
    return places;
  }

  /** Notes that a record sent elsewhere must become an event. */
  owe({ due }: LedgerRecord): void {
    if (typeof due === 'object') this.#statements.push(due.event);
  }

  /**
   * Sends a valid submission to every partition, and waits until all valid submissions so far are events: earlier
   * records must not hold up any.
   *
   * @returns the duration, in milliseconds
   */
  async untilProbesApplied(except: readonly number[] = []): Promise<number> {
    this.#probe ??= await startKafkajsClient(this.#service.brokers, this.topic).open();
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const open = partitions.filter((partition) => !except.includes(partition));
    const startedAt = performance.now();
    await this.send(
      this.#probe,
      open.map((partition) => this.good(partition)),
    );
    await this.untilApplied();
    return performance.now() - startedAt;
  }

  /** Waits until there are as many events as valid submissions. */
  async untilApplied(): Promise<void> {
    const count = this.#statements.length;
    await until(`${count} events`, async () => (await this.#service.latestSequence()) >= count, PATIENCE_MS);
  }

  /**
   * Checks that every valid submission is an event once, that every invalid one is rejected, and that there is nothing
   * else.
   */
  async expectSettled(): Promise<void> {
    await this.untilApplied();
    const events = await this.#service.events();
    const statements = events.data.map(({ endorsement }) => endorsement.statement);
    expect(statements.sort()).toEqual([...this.#statements].sort());
    await until(
      `${this.#rejected.size} rejections`,
      async () => (await this.rejections()).length >= this.#rejected.size,
      PATIENCE_MS,
    );
    const rejections = await this.rejections();
    const origins = rejections.map(({ partition, offset }) => `${partition}/${offset}`);
    expect(origins.sort()).toEqual([...this.#rejected].sort());
    expect(new Set(rejections.map(({ topic }) => topic))).toEqual(
      new Set(this.#rejected.size > 0 ? [this.topic] : []),
    );
  }

  /** All rejections so far. */
  async rejections(): Promise<Rejection[]> {
    const topic = topicNames(this.#service.topicPrefix).rejected;
    const { rejections, ends } = await loadAllRejections(
      { brokers: this.#service.brokers, topic },
      this.#readUpTo,
    );
    for (const rejection of rejections) {
      this.#rejections.set(`${rejection.partition}/${rejection.offset}`, rejection);
    }
    for (const [partition, end] of ends) this.#readUpTo.set(partition, end);
    return [...this.#rejections.values()];
  }

  async close(): Promise<void> {
    await this.#probe?.close();
  }
}
