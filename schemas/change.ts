import { AvroDecodeError, createAvroCodec } from './avro-codec.ts';
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

/** A change without its body. */
export type ChangeHead = Omit<Change, keyof ChangeBody>;

/** The first fields of every version of the schema. */
export const HEAD_FIELDS = [
  'epoch',
  'sequence',
  'id',
  'type',
  'occurred_at',
] as const satisfies (keyof ChangeHead)[];

/**
 * The head of a change in the stream. The batch that relays the change fixes its id (INV-3): `offsets` are
 * the ends of the partitions before the batch was first sent.
 *
 * @param change.occurredAt milliseconds since 1970
 */
export function identifyChange(
  { sequence, occurredAt, type }: { sequence: number; occurredAt: number; type: ChangeType },
  { epoch, offsets }: { epoch: number; offsets: readonly number[] },
): ChangeHead {
  const id = formatEventId({ epoch, sequence, time: occurredAt, offsets });
  return { epoch, sequence, id, type, occurred_at: occurredAt };
}

export const changeCodec = createAvroCodec<Change>('endorsement-change');

/** The change of a record; null if it holds none of a known version. */
export function findChange(value: Buffer | null): Change | null {
  try {
    return changeCodec.decode(value);
  } catch (error) {
    if (error instanceof AvroDecodeError) return null;
    throw error;
  }
}
