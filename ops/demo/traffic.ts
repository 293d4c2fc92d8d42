/**
 * A process that keeps the demo alive: every other second a demo endorser changes its mind. It survives outages of the
 * database and the brokers silently, and ends on SIGTERM or SIGINT.
 *
 * Environment: DATABASE_URL, KAFKA_BROKERS (and TOPIC_PREFIX), DEMO_INTERVAL_MS (default 2000), TODAY.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { readDate, readInteger } from '../../service/environment.ts';
import { describeFailure } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { createClientPool } from '../../store/connection/client.ts';
import { createConfig } from '../config.ts';
import { changeOf } from './changes.ts';
import { createRandom, type Random } from './random.ts';
import { findSituation } from './situations.ts';

/** The longest wait for a silent database, so that the process can end. */
const POOL_LIMITS = { max: 1, connectionTimeoutMillis: 5_000, query_timeout: 10_000 };

interface Traffic {
  pool: pg.Pool;
  open: () => Promise<MessageProducer>;
  random: Random;
  intervalMs: number;
  /** The publication date of a change. */
  today: () => string;
  signal: AbortSignal;
}

/** Submits a change each interval until the signal. After a failure it tries again at the next interval. */
async function runTraffic({ pool, open, random, intervalMs, today, signal }: Traffic): Promise<void> {
  let producer: MessageProducer | null = null;
  const drop = async () => {
    await producer?.close().catch(() => {});
    producer = null;
  };
  while (!signal.aborted) {
    try {
      producer ??= await open();
      const situation = await findSituation(pool, today(), [random.next(), random.next()]);
      const change = situation && changeOf(situation, today(), random);
      if (change) {
        const message = { key: change.endorser, value: submissionCodec.encode(change) };
        await producer.send([message], 'the demo');
      }
    } catch {
      // An outage: the servers report it themselves, and the demo continues after it.
      await drop();
    }
    // Half to one and a half intervals, because real changes are irregular.
    await sleep(intervalMs * (0.5 + random.next()), undefined, { signal }).catch(() => {});
  }
  await drop();
}

async function main(): Promise<void> {
  const env = readEnv(process.env);
  const { databaseUrl, brokers, topicPrefix } = createConfig(env);
  const fixedToday = readDate(env, 'TODAY');
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
  const pool = createClientPool(databaseUrl, POOL_LIMITS);
  pool.on('error', () => {});
  await runTraffic({
    pool,
    open: () => openProducer(brokers, topicNames(topicPrefix).submissions),
    random: createRandom(Date.now()),
    intervalMs: readInteger(env, 'DEMO_INTERVAL_MS', { min: 10, max: 3_600_000 }) ?? 2_000,
    today: () => fixedToday ?? new Date().toISOString().slice(0, 10),
    signal: ending.signal,
  });
  await pool.end();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
