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

export const turnsTaken = new Gauge({
  name: 'webhook_attempts_under_way',
  help: 'Attempts to deliver a message to a webhook that are under way.',
});

export const turnsWaiting = new Gauge({
  name: 'webhooks_waiting_for_turn',
  help: 'Webhooks with a message to send that wait because too many attempts are under way.',
});
