import type { Pool } from 'pg';
import type { Finding } from '../../../administration/health/finding.ts';
import { judgeLag } from '../../../administration/health/judge-lag.ts';
import { measureLag, type ServiceLag } from '../../../administration/lag.ts';
import { findOldestWork, type OldestWork } from '../../../administration/oldest-work.ts';
import { withDeadline } from '../../../service/deadline.ts';
import { classifyFailure, KafkaUnavailableError } from '../../../service/failure.ts';
import type { ConsoleContext } from '../context.ts';

/** The longest wait for Kafka, in milliseconds. A broker that hangs would hold up the page for a minute. */
const KAFKA_MS = 4_000;

/** The lag at each hop, and its problems. */
export interface Hops {
  lag: ServiceLag;
  problems: Finding[];
}

type Place = Pick<ConsoleContext, 'pool' | 'clock' | 'brokers' | 'topicPrefix'>;

async function measure({ pool, clock, ...place }: Place): Promise<Hops> {
  const lag = await measureLag(pool, place);
  const judge = (oldest: OldestWork) => judgeLag(lag, { oldest, now: clock.now() });
  // Kafka is asked for times only if there is a problem.
  const problems = judge({}).length === 0 ? [] : judge(await findOldestWork(pool, place, lag));
  return { lag, problems };
}

/** The measurement under way of each gateway. Pages share it, so that those of a hanging Kafka do not pile up. */
const underWay = new WeakMap<Pool, Promise<Hops>>();

/** @returns null while Kafka does not answer */
export async function loadHops(place: Place, kafkaMs = KAFKA_MS): Promise<Hops | null> {
  const { pool } = place;
  const measured = underWay.get(pool) ?? measure(place).finally(() => underWay.delete(pool));
  underWay.set(pool, measured);
  const away = () => new KafkaUnavailableError('Kafka does not answer in time.');
  try {
    return await withDeadline(measured, kafkaMs, away);
  } catch (error) {
    if (classifyFailure(error) === 'kafka_away') return null;
    throw error;
  }
}
