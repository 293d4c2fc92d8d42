import { type Static, type TSchema, Type } from 'typebox';
import type { ChangeType } from '../vocabulary.ts';
import { eventChoice, eventContest, pickFields } from './contests.ts';
import { electionSummary } from './elections.ts';
import { endorserSummary } from './endorsers.ts';
import { streamErrorCode } from './enumerations.ts';
import { boolean, count, described, named, record, recordId, text, time } from './fields.ts';

/* Events of the change stream, and the frames of Server-Sent Events that carry them. */

const eventEndorsement = record('EventEndorsement', 'An endorsement, as events carry it.', {
  id: recordId,
  ...pickFields,
});

const cursor = (description: string) => described(text, description);

/** An event of one type. */
const eventOf = <Change extends ChangeType>(type: Change, name: string, description: string) =>
  record(name, description, {
    id: cursor(
      'The id of the event, which is also the cursor after it. The same event has the same id for ever.',
    ),
    type: Type.Literal(`endorsement.${type}` as const),
    occurred_at: described(time, 'When the change was made, in UTC with milliseconds.'),
    endorsement: eventEndorsement,
    endorser: endorserSummary,
    contest: eventContest,
    election: electionSummary,
    choice: eventChoice,
  });

/** An event of the change stream (specification, "Event body"). */
export const event = named(
  'Event',
  'A change of an endorsement, as clients receive it. Every event carries the whole endorsement and its place on the ' +
    'ballot. Delivery is at least once: drop repeats by id.',
  Type.Union(
    [
      eventOf('created', 'EndorsementCreated', 'A new endorsement.'),
      eventOf('updated', 'EndorsementUpdated', 'An endorsement that changed, with its new values.'),
      eventOf('deleted', 'EndorsementDeleted', 'An endorsement that was removed, with the values it had.'),
    ],
    { discriminator: { propertyName: 'type' } },
  ),
);
export type Event = Static<typeof event>;

/** The answer of `GET /v1/events`. */
export const eventPage = record(
  'EventPage',
  'Events in the order of the stream, and the position after them.',
  {
    data: Type.Array(event, { description: 'Can be empty.' }),
    next_cursor: cursor(
      'The position after these events and after all that the filter skipped. Send it as cursor next.',
    ),
    has_more: described(boolean, 'Whether to ask again immediately. It can be true even if data is empty.'),
  },
);

/** A frame of the stream: its data is JSON in one line. */
const frame = <Data extends TSchema>(name: string, event: string, description: string, data: Data) =>
  record(name, description, {
    event: Type.Literal(event),
    id: cursor('A cursor: the position after this frame.'),
    data: Type.String({ contentMediaType: 'application/json', contentSchema: data }),
  });

const ready = record('StreamReady', 'The stream has begun.', {
  subscription: Type.Optional(described(text, 'The name of the subscription, if one is used.')),
});

const checkpoint = record('StreamCheckpoint', 'The position has moved past changes that do not match.', {
  occurred_at: described(time, 'The time of the position.'),
  scanned: described(count, 'The number of changes that the filter has skipped since the last frame.'),
});

/** Why the service ends a connection that the client should open again. */
const RECONNECT_REASONS = [
  'lifetime',
  'shutdown',
  'slow_consumer',
  'subscription_changed',
  'displaced',
  'plan_changed',
] as const;
export type ReconnectReason = (typeof RECONNECT_REASONS)[number];

const reconnect = record('StreamReconnect', 'The service ends the connection; the client connects again.', {
  reason: Type.Enum([...RECONNECT_REASONS], {
    type: 'string',
    description:
      'lifetime: the connection has lasted for its time. shutdown: this gateway stops. slow_consumer: the client does ' +
      'not read fast enough. subscription_changed: the subscription was deleted. displaced: the client did not acknowledge, and another ' +
      'stream of the account has taken the place. plan_changed: the account has more open streams than its plan ' +
      'allows now.',
  }),
  retry_ms: described(count, 'Milliseconds to wait before connecting again.'),
});

const streamError = record('StreamError', 'The stream has failed after it began.', {
  code: streamErrorCode,
  message: described(text, 'Names the problem and the remedy. For people.'),
});

/** One frame of `GET /v1/stream` (specification, "Server-Sent Events kinds"). */
export const serverSentEvent = named(
  'ServerSentEvent',
  'A frame of the stream. The data of each kind has a schema of its own.',
  Type.Union(
    [
      frame(
        'ReadyFrame',
        'ready',
        'The first frame. Its id is the position at which the stream begins.',
        ready,
      ),
      frame('EndorsementFrame', 'endorsement', 'One frame for each change that matches.', event),
      frame(
        'CheckpointFrame',
        'checkpoint',
        'Moves the position past changes that do not match: at least every 20 seconds while there are some, and every ' +
          'hour on a silent stream.',
        checkpoint,
      ),
      frame(
        'ReconnectFrame',
        'reconnect',
        'The last frame of a connection that the service ends in order. Connect again with the id.',
        reconnect,
      ),
      frame('ErrorFrame', 'error', 'The last frame of a stream that has failed.', streamError),
    ],
    { discriminator: { propertyName: 'event' } },
  ),
);
