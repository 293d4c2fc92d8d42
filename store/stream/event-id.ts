import { formatEventId } from '../../schemas/cursor.ts';

/** The event of a change in the log, as far as it is known. */
export interface KnownEvent {
  /** The event's id; null while Kafka does not have the event, and in an earlier epoch, whose ids have expired. */
  eventId: string | null;
  /** Whether Kafka does not have the event yet. */
  isWaiting: boolean;
}

/** The columns from which `eventIdOf` makes the id of a change `made` of the log, in a query of `stream_head`. */
export const EVENT_ID = `made.sequence::float8 AS sequence,
  (extract(epoch FROM made.occurred_at) * 1000)::bigint AS time, epoch::float8 AS epoch,
  made.sequence <= epoch_after AS "isOld", (
    SELECT CASE WHEN acknowledged_at IS NOT NULL AND last_sequence >= made.sequence THEN offsets::float8[] END
    FROM relay_batches WHERE first_sequence <= made.sequence ORDER BY first_sequence DESC LIMIT 1) AS offsets`;

export interface EventIdRow {
  sequence: number;
  time: string;
  epoch: number;
  isOld: boolean;
  offsets: number[] | null;
}

/** The event of a change. */
export function eventIdOf({ isOld, offsets, time, ...change }: EventIdRow): KnownEvent {
  if (isOld) return { eventId: null, isWaiting: false };
  if (offsets === null) return { eventId: null, isWaiting: true };
  return { eventId: formatEventId({ ...change, time: Number(time), offsets }), isWaiting: false };
}
