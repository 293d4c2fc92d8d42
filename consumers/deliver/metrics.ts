import { Counter, Gauge, Histogram } from 'prom-client';
import type { AttemptOutcome } from '../../schemas/vocabulary.ts';

const attempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Attempts to deliver a message to a webhook, by outcome.',
  labelNames: ['outcome', 'kind'],
});

const events = new Counter({
  name: 'webhook_events_total',
  help: 'Events that receivers of webhooks have accepted.',
});

const attemptSeconds = new Histogram({
  name: 'webhook_attempt_seconds',
  help: 'How long an attempt to deliver a message to a webhook took.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
});

/** Counts and measures an attempt. */
export function observeAttempt(attempt: {
  outcome: AttemptOutcome;
  isTest: boolean;
  durationMs: number;
  events: number;
}): void {
  const { outcome, isTest, durationMs } = attempt;
  attempts.inc({ outcome, kind: isTest ? 'test' : 'events' });
  attemptSeconds.observe(durationMs / 1000);
  if (outcome === 'delivered') events.inc(attempt.events);
}

export const heldWebhooks = new Gauge({
  name: 'webhooks_held',
  help: 'Webhooks that this process delivers.',
});
// Other programs do not have it: NobodyDelivers knows by it whether a process has the role.
heldWebhooks.remove();

const lagSeconds = new Gauge({
  name: 'webhook_lag_seconds',
  help: 'How long the oldest change that a webhook of this process lacks has waited, at most, by the age of the webhook.',
  labelNames: ['age'],
});

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** The ages of webhooks, from the youngest. */
const AGES = [
  { age: 'under an hour', maxMs: HOUR_MS },
  { age: 'under a day', maxMs: DAY_MS },
  { age: 'older', maxMs: Number.POSITIVE_INFINITY },
] as const;

/** Shows how far webhooks are behind. @param now milliseconds since 1970 */
export function showLags(lags: Iterable<{ createdAt: number; lagMs: number }>, now: number): void {
  const most = new Map<string, number>(AGES.map(({ age }) => [age, 0]));
  for (const { createdAt, lagMs } of lags) {
    const { age } = AGES.find(({ maxMs }) => now - createdAt < maxMs) ?? AGES[2];
    most.set(age, Math.max(most.get(age) ?? 0, lagMs));
  }
  for (const [age, ms] of most) lagSeconds.set({ age }, ms / 1000);
}

// Every series begins at 0, also before there is a webhook.
showLags([], 0);

export const turnsTaken = new Gauge({
  name: 'webhook_attempts_under_way',
  help: 'Attempts to deliver a message to a webhook that are under way.',
});

export const turnsWaiting = new Gauge({
  name: 'webhooks_waiting_for_turn',
  help: 'Webhooks with a message to send that wait because too many attempts are under way.',
});
