import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ACTIVE,
  afterAttempt,
  disabled,
  isExpired,
  type WebhookState,
} from '../../../domain/webhooks/state.ts';
import { ATTEMPT_OUTCOMES } from '../../../schemas/vocabulary.ts';

const DAY_MS = 24 * 60 * 60_000;
const RETENTION_MS = 7 * DAY_MS;
/** The retention and a twentieth of it. */
const EXPIRED_MS = 7.35 * DAY_MS;
const START = Date.parse('2026-11-03T08:00:00Z');
const at = (now: number, positionTime = START) => ({
  now,
  random: 0,
  positionTime,
  retentionMs: RETENTION_MS,
});
const refused = { outcome: 'refused', retryAfterMs: null } as const;
const delivered = { outcome: 'delivered', retryAfterMs: null } as const;

describe('a webhook', () => {
  test('fails at the first attempt without success, and counts them', () => {
    const once = afterAttempt(ACTIVE, refused, at(START));
    expect(once).toEqual({
      ...{ state: 'failing', reason: null, failures: 1, failingSince: START, nextAttemptAt: START + 5000 },
    });
    const twice = afterAttempt(once, { outcome: 'timed_out', retryAfterMs: 60_000 }, at(START + 5000));
    expect(twice).toEqual({
      ...{ state: 'failing', reason: null, failures: 2, failingSince: START, nextAttemptAt: START + 65_000 },
    });
  });

  test('is active again after a success', () => {
    const failing = afterAttempt(ACTIVE, refused, at(START));
    expect(afterAttempt(failing, delivered, at(START + 5000))).toEqual(ACTIVE);
  });

  test('is disabled by 410 at once, whatever the receiver asks for', () => {
    const gone = afterAttempt(ACTIVE, { outcome: 'gone', retryAfterMs: 1000 }, at(START));
    expect(gone).toEqual({
      ...{
        state: 'disabled',
        reason: 'receiver_gone',
        failures: 1,
        failingSince: START,
        nextAttemptAt: null,
      },
    });
  });

  test('that fails for as long as its events are kept is disabled', () => {
    const failing = afterAttempt(ACTIVE, refused, at(START));
    expect(afterAttempt(failing, refused, at(START + EXPIRED_MS)).state).toBe('failing');
    const over = afterAttempt(failing, refused, at(START + EXPIRED_MS + 1));
    expect(over).toEqual({
      ...{
        state: 'disabled',
        reason: 'receiver_failed',
        failures: 2,
        failingSince: START,
        nextAttemptAt: null,
      },
    });
  });

  test('that is disabled keeps what people want to know', () => {
    const failing = afterAttempt(ACTIVE, refused, at(START));
    expect(disabled(failing, 'by_account')).toEqual({
      ...{ state: 'disabled', reason: 'by_account', failures: 1, failingSince: START, nextAttemptAt: null },
    });
  });

  test('expires when its position is older than retention and a twentieth', () => {
    expect(isExpired(at(START + EXPIRED_MS))).toBe(false);
    expect(isExpired(at(START + EXPIRED_MS + 1))).toBe(true);
  });
});

test('with attempts of any outcomes, a webhook ends active, waits for its next attempt, or says why it does not', () => {
  const step = fc.record({
    outcome: fc.constantFrom(...ATTEMPT_OUTCOMES),
    retryAfterMs: fc.option(fc.nat({ max: DAY_MS })),
    waitedMs: fc.nat({ max: DAY_MS }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (steps, random) => {
        let state: WebhookState = ACTIVE;
        let now = START;
        let failures = 0;
        for (const { outcome, retryAfterMs, waitedMs } of steps) {
          if (state.state === 'disabled') break;
          now = Math.max(now, state.nextAttemptAt ?? 0) + waitedMs;
          failures = outcome === 'delivered' ? 0 : failures + 1;
          state = afterAttempt(state, { outcome, retryAfterMs }, { ...at(now), random });
          expect(state.failures).toBe(failures);
          if (outcome === 'delivered') expect(state).toEqual(ACTIVE);
          else if (outcome === 'gone') expect(state.reason).toBe('receiver_gone');
          else if (now > START + EXPIRED_MS) expect(state.reason).toBe('receiver_failed');
          else expect(state.nextAttemptAt).toBeGreaterThanOrEqual(now + 5000);
        }
      },
    ),
  );
});
