import { createAvroCodec } from './avro-codec.ts';
import { formatEventId } from './cursor.ts';
import type { Event } from './http/events.ts';
import type { ChangeType } from './vocabulary.ts';

/** An endorsement and its place on the ballot at the time of a change (specification, "Event body"). */
export type ChangeBody = Omit<Event, 'id' | 'type' | 'occurred_at'>;

/** An entry of the change stream: a message of the changes topic, keyed by the endorser's slug. */
export interface Change extends ChangeBody {
  epoch: number;
  /** 1, 2, 3... across all changes of the epoch, without gaps. */
  sequence: number;
  /** The event's id, which is also a cursor. */
  id: string;
  type: ChangeType;
  /** Milliseconds since 1970. */
  occurred_at: number;
}

/** An entry of the change log, before it is relayed. */
export interface LoggedChange {
  sequence: number;
  /** Milliseconds since 1970. */
  occurredAt: number;
  type: ChangeType;
  body: ChangeBody;
}

/**
 * The change of the stream that a logged change becomes. The batch that relays it fixes its id (INV-3): `offsets` are the
 * ends of the partitions before the batch was first sent.
 */
export function identifyChange(
  { sequence, occurredAt, type, body }: LoggedChange,
  { epoch, offsets }: { epoch: number; offsets: readonly number[] },
): Change {
  const id = formatEventId({ epoch, sequence, time: occurredAt, offsets });
  return { epoch, sequence, id, type, occurred_at: occurredAt, ...body };
}

export const changeCodec = createAvroCodec<Change>('endorsement-change');
