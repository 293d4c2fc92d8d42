import type { AttemptOutcome, DisabledReason } from '../../schemas/vocabulary.ts';
import { RETENTION_GRACE } from '../retention.ts';
import { retryDelayMs } from './retries.ts';

/** Whether, and when, a webhook gets its next batch. Times are milliseconds since 1970. */
export type WebhookState =
  | { state: 'active'; reason: null; failures: 0; failingSince: null; nextAttemptAt: null }
  | { state: 'failing'; reason: null; failures: number; failingSince: number; nextAttemptAt: number }
  | {
      state: 'disabled';
      reason: DisabledReason;
      failures: number;
      failingSince: number | null;
      nextAttemptAt: null;
    };

/** The state of a new or resumed webhook, and after a success. */
export const ACTIVE: WebhookState = {
  state: 'active',
  reason: null,
  failures: 0,
  failingSince: null,
  nextAttemptAt: null,
};

/** The outcome of an attempt, and the wait that the receiver asks for, in milliseconds; null if it does not. */
export interface AttemptResult {
  outcome: AttemptOutcome;
  retryAfterMs: number | null;
}

export interface AttemptContext {
  now: number;
  /** From 0 to 1. */
  random: number;
  /** The time of the webhook's position. */
  positionTime: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
}

/** Whether the events after a position may be lost already. */
export const isExpired = ({ now, positionTime, retentionMs }: Omit<AttemptContext, 'random'>): boolean =>
  positionTime < now - (1 + RETENTION_GRACE) * retentionMs;

/** A webhook that gets nothing any more, for a reason. It keeps the count of its failures, for people. */
export const disabled = (before: WebhookState, reason: DisabledReason): WebhookState => ({
  state: 'disabled',
  reason,
  failures: before.failures,
  failingSince: before.failingSince,
  nextAttemptAt: null,
});

/** The state after an attempt. A webhook that fails for as long as its events are kept is disabled. */
export function afterAttempt(
  before: WebhookState,
  { outcome, retryAfterMs }: AttemptResult,
  context: AttemptContext,
): WebhookState {
  if (outcome === 'delivered') return ACTIVE;
  const { now, random } = context;
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? now;
  const failing: WebhookState = {
    ...{ state: 'failing', reason: null, failures, failingSince },
    nextAttemptAt: now + retryDelayMs(failures, retryAfterMs, random),
  };
  if (outcome === 'gone') return disabled(failing, 'receiver_gone');
  return isExpired(context) ? disabled(failing, 'receiver_failed') : failing;
}
