import { expect, test } from '@jest/globals';
import { describeOutcome, describeState } from '../../administration/webhooks/describe.ts';
import { ATTEMPT_OUTCOMES, DISABLED_REASONS } from '../../schemas/vocabulary.ts';

test.each<[Parameters<typeof describeState>[0], string]>([
  [{ state: 'active', reason: null, failures: 0 }, 'active'],
  [{ state: 'failing', reason: null, failures: 1 }, 'failing, after 1 attempt'],
  [{ state: 'failing', reason: null, failures: 2 }, 'failing, after 2 attempts'],
  [{ state: 'disabled', reason: null, failures: 3 }, 'disabled'],
  [{ state: 'disabled', reason: 'receiver_gone', failures: 1 }, 'disabled: its receiver answered 410 Gone'],
  [
    { state: 'disabled', reason: 'by_operator', failures: 0 },
    'disabled: the operators of the service disabled it',
  ],
  [{ state: 'disabled', reason: 'by_account', failures: 0 }, 'disabled: people of the account disabled it'],
])('the state %j is told in words', (state, words) => {
  expect(describeState(state)).toBe(words);
});

test('every reason and every outcome has words of its own', () => {
  const reasons = DISABLED_REASONS.map((reason) => describeState({ state: 'disabled', reason, failures: 0 }));
  const outcomes = ATTEMPT_OUTCOMES.map(describeOutcome);
  for (const words of [reasons, outcomes]) expect(new Set(words).size).toBe(words.length);
  expect(describeOutcome('gone')).toBe('the receiver is gone (410)');
  expect(describeOutcome('redirected')).toBe('a redirect, which is never followed');
});
