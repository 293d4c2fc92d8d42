import type { AttemptOutcome, DisabledReason } from '../../schemas/vocabulary.ts';
import type { ListedWebhook } from '../../store/webhooks/control.ts';

const REASONS: Readonly<Record<DisabledReason, string>> = {
  receiver_gone: 'its receiver answered 410 Gone',
  receiver_failed: 'every attempt failed for as long as changes are kept',
  position_expired: 'the changes after its position are no longer kept',
  by_account: 'people of the account disabled it',
  by_operator: 'the operators of the service disabled it',
};

const OUTCOMES: Readonly<Record<AttemptOutcome, string>> = {
  delivered: 'delivered',
  refused: 'refused by the receiver',
  gone: 'the receiver is gone (410)',
  redirected: 'a redirect, which is never followed',
  timed_out: 'no answer within 15 seconds',
  unreachable: 'no connection',
  address_refused: 'the host has no public address',
  answer_broken: 'the answer was cut, too large or not HTTP',
  not_signed: 'the service cannot read the secret',
};

/** The outcome of an attempt in words. */
export const describeOutcome = (outcome: AttemptOutcome): string => OUTCOMES[outcome];

/** The state of a webhook in a few words. */
export function describeState({
  state,
  reason,
  failures,
}: Pick<ListedWebhook, 'state' | 'reason' | 'failures'>): string {
  if (state === 'active') return 'active';
  if (state === 'failing') return `failing, after ${failures} ${failures === 1 ? 'attempt' : 'attempts'}`;
  return reason === null ? 'disabled' : `disabled: ${REASONS[reason]}`;
}
