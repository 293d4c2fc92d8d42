/**
 * Hostile producers during the soak. They send noise in every codec, tombstones, bombs, submissions of unknown
 * endorsers, and transactions that are committed, aborted or left open. The acts are recorded as a model to compare the
 * service with.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Producer } from '@platformatic/kafka';
import pg from 'pg';
import { createKafkaClient } from '../../kafka/connection/client.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Random } from '../../ops/demo/random.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { bodyOf, STORED_BODY, type StoredBody } from '../../store/stream/stored-body.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { loadAllRejections } from '../helpers/kafka/all-rejections.ts';
import { until } from '../helpers/until.ts';
import type { Cluster } from './cluster.ts';

const { submissions: TOPIC, rejected: REJECTED } = topicNames();
const ENDORSER = 'endorser-0';
const PARTITIONS = 12;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
const MAX_PAUSE_MS = 800;
const SEND_TIMEOUT_MS = 10_000;
const LAST_ACTS_MS = 30_000;

/** The acts of the hostile producers. Acts without an acknowledgement are left out, because both outcomes are right. */
interface Model {
  /** Marks of records that must be rejected. */
  bad: string[];
  /** Statements of submissions in committed transactions. */
  committed: string[];
  /** Statements of submissions in aborted transactions, and in open ones, which Kafka aborts. */
  aborted: string[];
}

/** The end of a transaction. */
type Ending = 'commit' | 'abort' | 'leave open';

/** A submission with a unique statement. */
function createMarked(statement: string): { key: string; value: Buffer } {
  const submission = endorse(ENDORSER, 'mayor', 'ann', { statement });
  return { key: submission.endorser, value: submissionCodec.encode(submission) };
}

export class Hostility {
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #model: Model = { bad: [], committed: [], aborted: [] };

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /**
   * Acts at random until the signal aborts. Failures, for example while the broker is down, do not matter. Finally, a
   * producer leaves a transaction open and another commits one behind it. Nobody can read the second one until Kafka
   * aborts the first.
   */
  async run(over: AbortSignal): Promise<void> {
    const endings: Ending[] = ['commit', 'abort'];
    const acts = [
      () => this.#sendNoise(),
      () => this.#sendBomb(),
      () => this.#transact(this.#random.pick(endings)),
    ];
    while (!over.aborted) {
      await this.#random
        .pick(acts)()
        .catch(() => {});
      await sleep(this.#random.below(MAX_PAUSE_MS));
    }
    for (const ending of ['leave open', 'commit'] as const) {
      const succeeds = () => this.#transact(ending).then(() => true);
      await until(`a producer to ${ending}`, () => succeeds().catch(() => false), LAST_ACTS_MS);
    }
  }

  /** The number of certain acts of each kind. */
  get counts(): Record<keyof Model, number> {
    const { bad, committed, aborted } = this.#model;
    return { bad: bad.length, committed: committed.length, aborted: aborted.length };
  }

  /** Compares the service with the model, once everything has arrived. @returns a sentence for each difference */
  async findFaults(): Promise<string[]> {
    const { databaseUrl, brokers } = this.#cluster;
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<StoredBody>(
      `SELECT ${STORED_BODY} FROM change_log WHERE NOT from_catalogue AND type <> 'deleted' AND endorser = $1`,
      [ENDORSER],
    );
    await client.end();
    const changes = new Map<string, number>();
    for (const row of rows) {
      const statement = bodyOf(row).endorsement.statement ?? '';
      changes.set(statement, (changes.get(statement) ?? 0) + 1);
    }
    const { rejections } = await loadAllRejections({ brokers, topic: REJECTED });
    const rejected = rejections
      .map(({ value }) => value?.subarray(0, 2000).toString('latin1') ?? '')
      .join('\n');
    const { bad, committed, aborted } = this.#model;
    return [
      ...committed
        .filter((statement) => changes.get(statement) !== 1)
        .map((statement) => `${statement} was committed and made ${changes.get(statement) ?? 0} changes`),
      ...aborted
        .filter((statement) => changes.has(statement))
        .map((statement) => `${statement} was aborted and made a change`),
      ...bad
        .filter((mark) => !rejected.includes(mark))
        .map((mark) => `the bad record ${mark} was not rejected`),
    ];
  }

  /** Sends bad records of any size together, in any codec, to one partition. */
  async #sendNoise(): Promise<void> {
    const records = Array.from({ length: 1 + this.#random.below(20) }, () => {
      const mark = `noise-${randomBytes(9).toString('hex')}`;
      const noise = randomBytes(this.#random.chance(0.1) ? 40_000 : this.#random.below(300));
      return { mark, value: Buffer.concat([Buffer.from(mark), noise]) };
    });
    await this.#produce(
      records.map(({ value }) => value),
      this.#random.pick(CODECS),
    );
    this.#model.bad.push(...records.map(({ mark }) => mark));
  }

  /** Sends a record that expands beyond the service's limit. */
  async #sendBomb(): Promise<void> {
    if (!this.#random.chance(0.05)) return;
    await this.#produce([Buffer.alloc(80 * 1024 * 1024)], 'zstd');
  }

  async #produce(values: Buffer[], compression: (typeof CODECS)[number]): Promise<void> {
    const producer = new Producer({
      clientId: 'hostile',
      bootstrapBrokers: this.#cluster.brokers.addresses,
      retries: 0,
      timeout: SEND_TIMEOUT_MS,
      connectTimeout: 2000,
    });
    producer.on('client:broker:failed', () => {});
    try {
      const partition = this.#random.below(PARTITIONS);
      const messages = values.map((value) => ({ topic: TOPIC, partition, value }));
      await producer.send({ messages, compression, acks: -1 });
    } finally {
      await producer.close().catch(() => {});
    }
  }

  /** A transaction with two submissions. */
  async #transact(ending: Ending): Promise<void> {
    const kafka = createKafkaClient({ brokers: this.#cluster.brokers, clientId: 'hostile', retries: 1 });
    const producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      transactionalId: `hostile-${randomBytes(6).toString('hex')}`,
      transactionTimeout: SEND_TIMEOUT_MS,
    });
    const statements = [1, 2].map(() => `hostile ${randomBytes(9).toString('hex')}`);
    try {
      await producer.connect();
      const transaction = await producer.transaction();
      for (const statement of statements) {
        await transaction.send({ topic: TOPIC, acks: -1, messages: [createMarked(statement)] });
        await sleep(this.#random.below(100));
      }
      if (ending === 'commit') {
        // A failed commit may have happened.
        await transaction.commit();
        this.#model.committed.push(...statements);
      } else {
        this.#model.aborted.push(...statements);
        if (ending === 'abort') await transaction.abort();
      }
    } finally {
      await producer.disconnect().catch(() => {});
    }
  }
}
