import { Gauge, Histogram } from 'prom-client';

/** Consumers and gateways share this metric, so that one alert covers both. */
export const historyConflict = new Gauge({
  name: 'stream_history_conflict',
  help: '1 if the database lacks changes that Kafka has published, or has different ones; 0 if they agree.',
});

/** From milliseconds to an hour, because changes wait while a server is away. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600];

const hopSeconds = new Histogram({
  name: 'stream_hop_seconds',
  help: 'How long a hop of a change took on its way from its submission to a socket.',
  labelNames: ['hop'],
  buckets: LATENCY_BUCKETS,
});

const deliverySeconds = new Histogram({
  name: 'stream_delivery_seconds',
  help: 'How long after its submission reached Kafka a change was written to the streams that waited for it.',
  buckets: LATENCY_BUCKETS,
});

/** Seconds between two times in milliseconds; never below 0, even if their clocks differ. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}

/**
 * The hops of a change: from its submission's time in Kafka to the commit; from there to Kafka's
 * acknowledgement; from sending to Kafka to a gateway's read; and from there to the write to waiting streams.
 */
export type Hop = 'apply' | 'relay' | 'tail' | 'write';

/** Observes how long a hop took. Times are milliseconds since 1970. */
export function observeHop(hop: Hop, from: number, to: number): void {
  hopSeconds.observe({ hop }, secondsBetween(from, to));
}

/** Observes how long a change took from its submission to the sockets. Times are milliseconds since 1970. */
export function observeDelivery(submittedAt: number, writtenAt: number): void {
  deliverySeconds.observe(secondsBetween(submittedAt, writtenAt));
}
