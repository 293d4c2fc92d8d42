/**
 * Measures the time from the submission of a change to its arrival at a Server-Sent Events client. In turn with it, it
 * measures Kafka alone, from a producer to a fetch of a record of the same size.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import type { Brokers } from '../../service/brokers.ts';
import { createTopic } from '../../test/helpers/kafka/topics.ts';
import { withClient } from '../../test/helpers/postgres/with-client.ts';
import type { System } from '../../test/helpers/service/system.ts';
import { readEvents } from '../../test/helpers/stream/event-stream.ts';
import { endorse, type Subject } from '../endorse.ts';
import { type Summary, summarize } from '../statistics.ts';

const RAW_TOPIC = 'bench-raw';
/**
 * V8 and the JVM compile until a few thousand changes have passed through every process. Until then, the slowest
 * changes take twice as long.
 */
const WARM_UP = { changes: 10_000, perSecond: 500 };

/** Resolves the wait for a text as soon as it has arrived. */
class Arrivals {
  readonly #waiting = new Map<string, (at: number) => void>();

  /** The arrival time of a text, in milliseconds of `performance.now()`. */
  next(text: string): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(text, resolve));
  }

  arrived(text: string): void {
    this.#waiting.get(text)?.(performance.now());
    this.#waiting.delete(text);
  }
}

async function followStream({ base, key }: System, arrivals: Arrivals): Promise<void> {
  const response = await fetch(`${base}/v1/stream`, { headers: { Authorization: `Bearer ${key}` } });
  void readEvents(response, {
    onEvent: ({ event, data }) => {
      if (event === 'endorsement') arrivals.arrived(JSON.parse(data).endorsement.statement);
    },
  }).catch(() => {});
}

async function followTopic(brokers: Brokers, arrivals: Arrivals): Promise<TopicReader> {
  const log = new TopicReader({ brokers, topic: RAW_TOPIC, clientId: 'bench' });
  const [node = 0] = await log.sources();
  void (async () => {
    for (let offset = 0; ; ) {
      const [read] = await log.fetch(node, new Map([[0, offset]]), {
        maxWaitMs: 500,
        partitionMaxBytes: 1_000_000,
      });
      for (const { value } of read?.records ?? []) {
        arrivals.arrived(submissionCodec.decode(value).picks[0]?.statement ?? '');
      }
      offset = read?.nextOffset ?? offset;
    }
  })().catch(() => {});
  return log;
}

/** Endorsers of the demo, with one contest and choice for all, so that their changes use every partition. */
export async function findSubjects(databaseUrl: string, limit: number): Promise<Subject[]> {
  const query = `
    SELECT e.slug AS endorser, c.contest, c.choice
    FROM endorsers e, (
      SELECT c.key AS contest, h.key AS choice
      FROM contests c JOIN choices h ON h.contest_id = c.id
      WHERE c.vote_method = 'plurality' ORDER BY c.id, h.id LIMIT 1
    ) c
    ORDER BY e.id LIMIT $1`;
  const { rows } = await withClient(databaseUrl, (client) => client.query<Subject>(query, [limit]));
  if (rows.length === 0) throw new Error('The demo has no contest.');
  return rows;
}

/** The time from sending a change to its arrival, in milliseconds. */
async function measureOne(
  producer: MessageProducer,
  arrivals: Arrivals,
  subject: Subject,
  statement: string,
): Promise<number> {
  const message = endorse(subject, { statement });
  const arrival = arrivals.next(statement);
  const start = performance.now();
  await producer.send([message]);
  return (await arrival) - start;
}

/** Measures changes, one after another. */
async function inTurn(count: number, measure: (number: number) => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await measure(i));
  return times;
}

/** Measures changes that begin at fixed times. */
async function atRate(
  count: number,
  measure: (number: number) => Promise<number>,
  interval: number,
): Promise<number[]> {
  const start = performance.now();
  const times: Promise<number>[] = [];
  for (let i = 0; i < count; i += 1) {
    await sleep(Math.max(0, start + i * interval - performance.now()));
    times.push(measure(i));
  }
  return Promise.all(times);
}

/** The latencies of a round, in milliseconds. */
export interface LatencyRound {
  service: Summary;
  kafka: Summary;
}

/** The two paths of a change, ready to measure. */
export class LatencyBench {
  readonly #arrivals = new Arrivals();
  readonly #subjects: readonly Subject[];
  readonly #submissions: MessageProducer;
  readonly #raw: MessageProducer;
  #log: TopicReader | undefined;
  #rounds = 0;

  private constructor(subjects: readonly Subject[], submissions: MessageProducer, raw: MessageProducer) {
    this.#subjects = subjects;
    this.#submissions = submissions;
    this.#raw = raw;
  }

  static async open(system: System): Promise<LatencyBench> {
    const { brokers, databaseUrl } = system;
    const subjects = await findSubjects(databaseUrl, 100);
    await withAdmin(brokers, (admin) => createTopic(admin, { topic: RAW_TOPIC, numPartitions: 1 }));
    const submissions = await openProducer(brokers, topicNames().submissions);
    const bench = new LatencyBench(subjects, submissions, await openProducer(brokers, RAW_TOPIC));
    await followStream(system, bench.#arrivals);
    bench.#log = await followTopic(brokers, bench.#arrivals);
    await bench.measure(WARM_UP.changes, WARM_UP.perSecond);
    return bench;
  }

  /** @param rate changes a second; null for one after another */
  async measure(count: number, rate: number | null): Promise<LatencyRound> {
    this.#rounds += 1;
    const service = await this.#measureMany(this.#submissions, `service ${this.#rounds}`, count, rate);
    const kafka = await this.#measureMany(this.#raw, `kafka ${this.#rounds}`, count, rate);
    return { service: summarize(service), kafka: summarize(kafka) };
  }

  async close(): Promise<void> {
    await Promise.all([this.#submissions.close(), this.#raw.close(), this.#log?.close()]);
  }

  #subjectOf(number: number): Subject {
    return this.#subjects[number % this.#subjects.length] as Subject;
  }

  #measureMany(
    producer: MessageProducer,
    name: string,
    count: number,
    rate: number | null,
  ): Promise<number[]> {
    const measure = (number: number) =>
      measureOne(producer, this.#arrivals, this.#subjectOf(number), `${name} ${number}`);
    return rate === null ? inTurn(count, measure) : atRate(count, measure, 1000 / rate);
  }
}
