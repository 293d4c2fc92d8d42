/*
 * Measures the time from the submission of a change to its arrival at a Server-Sent Events client: through Kafka, the
 * apply consumer, Postgres, the relay, Kafka again and the gateway. In turn with it, it measures Kafka alone, from a
 * producer to a fetch with a record of the same size. Each change follows the arrival of the one before; with `--rate`,
 * changes come at that rate a second. With `--replicas`, changes also wait for this number of replicas of Postgres.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createParser } from 'eventsource-parser';
import pg from 'pg';
import { withAdmin } from '../kafka/admin.ts';
import { openProducer } from '../kafka/submissions-producer.ts';
import { topicNames } from '../kafka/topic-names.ts';
import { TopicReader } from '../kafka/topic-reader.ts';
import { submissionCodec } from '../schemas/submission.ts';
import type { Brokers } from '../service/brokers.ts';
import { type System, startSystem } from '../test/helpers/system.ts';
import { formatSpread, type Summary, summarize } from './statistics.ts';

const RAW_TOPIC = 'bench-raw';

/** Resolves the wait for a text as soon as it has arrived. */
class Arrivals {
  readonly #waiting = new Map<string, (at: number) => void>();

  /** The time at which a text arrives, in milliseconds of `performance.now()`. */
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
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'endorsement') arrivals.arrived(JSON.parse(data).endorsement.statement);
    },
  });
  const decoder = new TextDecoder();
  void (async () => {
    for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
  })().catch(() => {});
}

async function followTopic(brokers: Brokers, arrivals: Arrivals): Promise<TopicReader> {
  await withAdmin(brokers, (admin) =>
    admin.createTopics({ topics: [{ topic: RAW_TOPIC, numPartitions: 1 }] }),
  );
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

/** An endorser, contest and choice of the demo. */
async function findSubject(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ endorser: string; contest: string; choice: string }>(
    `SELECT e.slug AS endorser, c.key AS contest, h.key AS choice
     FROM endorsers e, contests c JOIN choices h ON h.contest_id = c.id
     WHERE c.vote_method = 'plurality' ORDER BY e.id, c.id, h.id LIMIT 1`,
  );
  await client.end();
  if (!rows[0]) throw new Error('The demo has no contest.');
  return rows[0];
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string' },
    replicas: { type: 'string', default: '0' },
  },
});
const count = Number(values.count);
const intervalMs = values.rate === undefined ? null : 1000 / Number(values.rate);
const system = await startSystem({}, { replicas: Number(values.replicas) });
const arrivals = new Arrivals();
await followStream(system, arrivals);
const log = await followTopic(system.brokers, arrivals);
const submissions = await openProducer(system.brokers, topicNames().submissions);
const raw = await openProducer(system.brokers, RAW_TOPIC);
const { endorser, contest, choice } = await findSubject(system.databaseUrl);

async function measure(producer: typeof raw, statement: string): Promise<number> {
  const pick = {
    choice,
    rank: null,
    statement,
    statement_es: null,
    source_url: null,
    published_on: null,
    details: null,
  };
  const value = submissionCodec.encode({ action: 'endorse', endorser, contest, picks: [pick] });
  const arrival = arrivals.next(statement);
  const start = performance.now();
  await producer.send([{ key: endorser, value }]);
  return (await arrival) - start;
}

/** Measures this number of changes, one after the other. */
async function measureInTurn(producer: typeof raw, name: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) times.push(await measure(producer, `${name} ${i}`));
  return times;
}

/** Measures this number of changes, each of which begins at its own time. */
async function measureAtRate(producer: typeof raw, name: string, interval: number): Promise<number[]> {
  const start = performance.now();
  const times: Promise<number>[] = [];
  for (let i = 0; i < count; i += 1) {
    await sleep(Math.max(0, start + i * interval - performance.now()));
    times.push(measure(producer, `${name} ${i}`));
  }
  return Promise.all(times);
}

const measureMany = (producer: typeof raw, name: string) =>
  intervalMs === null ? measureInTurn(producer, name) : measureAtRate(producer, name, intervalMs);

const rounds: { service: Summary; kafka: Summary }[] = [];
for (let round = -1; round < Number(values.rounds); round += 1) {
  const service = await measureMany(submissions, `service ${round}`);
  const kafka = await measureMany(raw, `kafka ${round}`);
  // The first round warms up.
  if (round >= 0) rounds.push({ service: summarize(service), kafka: summarize(kafka) });
}
const line = (name: string, pick: (round: (typeof rounds)[number]) => number) =>
  process.stdout.write(`${name.padEnd(46)}${formatSpread(rounds.map(pick))}\n`);
process.stdout.write(
  `${count} changes a round${values.rate === undefined ? '' : `, ${values.rate} a second`}, ${rounds.length} rounds: middle (lowest to highest) of the rounds\n`,
);
line('submission to SSE client, median, ms', ({ service }) => service.median);
line('submission to SSE client, 99th percentile, ms', ({ service }) => service.p99);
line('Kafka alone, produce to fetch, median, ms', ({ kafka }) => kafka.median);
line('Kafka alone, produce to fetch, 99th percentile, ms', ({ kafka }) => kafka.p99);
line('ratio of the medians', ({ service, kafka }) => service.median / kafka.median);

await Promise.all([submissions.close(), raw.close(), log.close()]);
await system.stop();
process.exit(0);
