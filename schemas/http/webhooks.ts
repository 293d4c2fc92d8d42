import { Type } from 'typebox';
import { ATTEMPT_OUTCOMES, DISABLED_REASONS, WEBHOOK_STATES } from '../vocabulary.ts';
import { event } from './events.ts';
import {
  boolean,
  count,
  described,
  enumeration,
  integer,
  named,
  nullable,
  record,
  recordId,
  text,
  time,
} from './fields.ts';
import { streamStart } from './parameters.ts';
import { filter, recordName } from './subscriptions.ts';

const webhookState = enumeration(
  'WebhookState',
  '`active`: events are delivered as they happen. `failing`: the last attempt failed, and another one follows. ' +
    '`disabled`: nothing is delivered until the webhook is resumed.',
  WEBHOOK_STATES,
);

const disabledReason = enumeration(
  'WebhookDisabledReason',
  '`receiver_gone`: the receiver answered 410. `receiver_failed`: every attempt failed for as long as events are ' +
    'kept. `position_expired`: the events after the position are no longer kept. `by_account`: people of the account ' +
    'disabled it. `by_operator`: the operators of the service disabled it.',
  DISABLED_REASONS,
);

const attemptOutcome = enumeration(
  'WebhookAttemptOutcome',
  '`delivered`: the answer has a status from 200 to 299. `gone`: it has 410. `redirected`: it has one from 300 to 399, ' +
    'which is never followed. `refused`: it has another one. `timed_out`: the whole answer did not come within 15 ' +
    'seconds. `unreachable`: no connection. `address_refused`: the host has no public address. `answer_broken`: the ' +
    'answer was cut, larger than 64 KB or not HTTP. `not_signed`: the service cannot read the secret.',
  ATTEMPT_OUTCOMES,
);

/** An attempt to deliver a message. */
export const webhookAttempt = record('WebhookAttempt', 'An attempt to deliver a message.', {
  message_id: described(text, 'The webhook-id of the message. All attempts to deliver it have the same.'),
  is_test: described(boolean, 'Whether the message is a test.'),
  attempted_at: time,
  duration_ms: described(count, 'Milliseconds from the beginning of the attempt to its end.'),
  outcome: attemptOutcome,
  status: described(nullable(integer), 'The status of the answer; null without an answer.'),
  events: described(count, 'The number of events in the message.'),
  bytes: described(count, 'The size of the body of the message.'),
  answer: described(text, 'The beginning of the body of the answer.'),
});

const webhookFields = {
  id: recordId,
  name: described(text, 'Unique within the account.'),
  url: described(text, 'The address to which messages are sent, in its normal form.'),
  subscription: nullable(
    record('WebhookSubscription', 'The subscription whose filter the webhook follows.', {
      id: recordId,
      name: text,
    }),
  ),
  filter: described(filter, 'The filter of the webhook, or of its subscription.'),
  state: webhookState,
  reason: nullable(disabledReason),
  cursor: described(
    text,
    'The position after everything that was delivered. It moves after an answer of 2xx, and within a minute past ' +
      'changes that do not match.',
  ),
  attempts: described(count, 'All attempts since it was created, tests included.'),
  delivered_batches: described(count, 'The messages with events that the receiver has accepted.'),
  delivered_events: described(count, 'The events in these messages.'),
  failures: described(count, 'The failed attempts since the last success.'),
  failing_since: described(nullable(time), 'When the first of these failed.'),
  next_attempt_at: described(nullable(time), 'When the next attempt follows; null unless it is failing.'),
  last_attempt: nullable(webhookAttempt),
  created_at: time,
  updated_at: described(time, 'When it was created or last changed by the account.'),
};

/** A webhook, as every answer except those below shows it. */
export const webhook = record(
  'Webhook',
  'An address of the account that receives changes. It has no queue: it is a cursor, a filter and an address.',
  webhookFields,
);

/** The answer to a new webhook and to a new secret. */
export const webhookWithSecret = record(
  'WebhookWithSecret',
  'A webhook with its secret, which is shown once.',
  {
    ...webhookFields,
    secret: described(text, 'The secret (`whsec_…`) with which receivers verify signatures.'),
  },
);

const url = Type.String({
  minLength: 1,
  maxLength: 2000,
  title: 'an address of https, of at most 2000 characters',
  description: 'A public host, port 443 or 8443, without a user name, password or fragment.',
});

const subscription = Type.Union(
  [Type.String({ minLength: 1, maxLength: 100 }), Type.Integer({ minimum: 1 })],
  {
    title: 'the id or name of a subscription',
    description:
      'The id or name of a saved subscription, whose filter the webhook follows, instead of `filter`.',
  },
);

const chosen = {
  name: recordName,
  url,
  subscription: Type.Optional(subscription),
  filter: Type.Optional(filter),
};
const { cursor, from } = streamStart;
const since = Type.Optional(
  Type.String({
    pattern:
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$',
    title: 'a time with its offset from UTC, such as 2026-11-03T00:00:00Z',
    description: 'Begin with changes from this time on, within retention.',
  }),
);

/** The body of PUT. */
export const webhookBody = named(
  'WebhookBody',
  'The name, the address and the filter of a webhook.',
  Type.Object(chosen, {
    title: 'an object with a name, a url and optionally a subscription or filter',
    additionalProperties: false,
  }),
);

/** The body of POST. */
export const newWebhookBody = named(
  'NewWebhookBody',
  'A webhook to create. It begins at the newest change unless from, since or cursor is given.',
  Type.Object(
    { ...chosen, from, since, cursor },
    {
      title:
        'an object with a name, a url and optionally a subscription or filter, and from, since or cursor',
      additionalProperties: false,
    },
  ),
);

/** The body of `POST /v1/webhooks/{id}/resume`. */
export const resumeBody = named(
  'WebhookResumeBody',
  'Where to resume; without a field, at the position of the webhook.',
  Type.Object(
    {
      from: Type.Optional(
        Type.Enum(['position', 'latest', 'earliest'], {
          type: 'string',
          title: 'position, latest or earliest',
          description:
            'The position of the webhook, the newest change, or the oldest event within retention. With `position`, a ' +
            'message that was sent already is repeated as it was.',
        }),
      ),
      since,
      cursor,
    },
    { title: 'an object with from, since or cursor, or without a field', additionalProperties: false },
  ),
);

/** The body of a message with events, as receivers get it. */
export const endorsementsChanged = record(
  'EndorsementsChanged',
  'A message to a webhook with changes of endorsements.',
  {
    type: Type.Literal('endorsements.changed'),
    timestamp: described(time, 'When the message was made. It stays the same in all attempts.'),
    data: record(
      'EndorsementsChangedData',
      'Events in the order of the stream, and the position after them.',
      {
        events: Type.Array(event, { description: 'From 1 to 100 events, exactly as on the stream.' }),
        cursor: described(text, 'The position after these events, for `/v1/events` and `/v1/stream`.'),
      },
    ),
  },
);

/** The body of a test message. */
export const webhookTest = record('WebhookTest', 'A test message, which is sent on request.', {
  type: Type.Literal('webhook.test'),
  timestamp: time,
  data: record('WebhookTestData', 'The webhook.', { webhook_id: recordId }),
});
