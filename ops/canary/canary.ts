import { randomUUID } from 'node:crypto';
import { Counter, Gauge, Histogram } from 'prom-client';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import { systemClock } from '../../service/clock.ts';
import { LastSuccess } from '../../service/last-success.ts';
import type { Service } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { CANARY_ENDORSER, createProbe } from './ballot.ts';
import type { CanaryConfig } from './config.ts';
import { ProbeStream } from './probe-stream.ts';

const latency = new Histogram({
  name: 'canary_latency_seconds',
  help: 'How long a probe took from its submission until it arrived on the stream.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

const lastSuccess = new Gauge({
  name: 'canary_last_success_timestamp_seconds',
  help: 'When a probe last arrived, in seconds since 1970; 0 before the first.',
});

/** The failed step of a probe. */
type Step = 'stream' | 'submission' | 'arrival';

const failures = new Counter({
  name: 'canary_failures_total',
  help: 'Probes that did not arrive, by the step that failed: opening the stream, the submission, or the arrival.',
  labelNames: ['step'],
});
// A counter that appears with its first failure would show no increase.
for (const step of ['stream', 'submission', 'arrival'] satisfies Step[]) failures.inc({ step }, 0);

class ProbeError extends Error {
  readonly step: Step;

  constructor(step: Step, cause: unknown) {
    super(`The ${step} of a probe failed.`, { cause });
    this.step = step;
  }
}

/** Runs a step of a probe. @throws ProbeError if it fails */
async function take<T>(step: Step, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new ProbeError(step, error);
  }
}

/**
 * Sends changes through the whole service, as a producer would, and waits for each on a gateway's stream, as a client
 * would. It is ready while probes arrive.
 */
export function startCanary(config: CanaryConfig, { log }: { log: Logger }): Service {
  const { gatewayUrl, key, brokers, topicPrefix, intervalMs, timeoutMs } = config;
  const url = `${gatewayUrl}/v1/stream?endorsers=${CANARY_ENDORSER}`;
  const stopping = new AbortController();
  const success = new LastSuccess();
  let stream: ProbeStream | null = null;
  let producer: MessageProducer | null = null;

  const probe = async () => {
    if (!stream?.isOpen) stream = await take('stream', () => ProbeStream.open(url, key, timeoutMs));
    const listening = stream;
    const statement = `Probe ${randomUUID()}.`;
    const startedAt = performance.now();
    const arrival = listening.arrival(statement, timeoutMs);
    await take('submission', async () => {
      producer ??= await openProducer(brokers, topicNames(topicPrefix).submissions);
      const value = submissionCodec.encode(createProbe(statement));
      await producer.send([{ key: CANARY_ENDORSER, value }], 'the canary');
    });
    if (!(await arrival)) {
      const reason = listening.isOpen ? `within ${timeoutMs} ms` : 'before the stream ended';
      throw new ProbeError('arrival', new Error(`It did not arrive ${reason}.`));
    }
    latency.observe((performance.now() - startedAt) / 1000);
  };

  /** After a failure, every connection is opened again. */
  const drop = async () => {
    stream?.close();
    await producer?.close().catch(() => {});
    stream = null;
    producer = null;
  };

  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await probe();
        success.note();
        lastSuccess.setToCurrentTime();
      } catch (error) {
        if (!(error instanceof ProbeError)) throw error;
        if (!stopping.signal.aborted) {
          failures.inc({ step: error.step });
          log.warn({ error: error.cause, step: error.step }, 'a probe failed');
        }
        success.forget();
        await drop();
      }
      await systemClock.wait(intervalMs, stopping.signal);
    }
    await drop();
  };
  const running = run();
  return {
    isReady: () => success.isWithin(2 * (intervalMs + timeoutMs)),
    async stop() {
      stopping.abort();
      stream?.close();
      await running;
    },
  };
}
