import type { ClientBase, Pool } from 'pg';
import { formatEventId } from '../../schemas/cursor.ts';

/** A range of a partition's offsets in the topic of submissions, without `to`. */
export interface OffsetRange {
  partition: number;
  from: number;
  to: number;
}

/**
 * The number of submissions in these ranges that made changes.
 *
 * @param afterSequence a sequence before their first change; only later changes are read
 */
export async function countChangingSubmissions(
  client: ClientBase,
  afterSequence: number,
  ranges: readonly OffsetRange[],
): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(DISTINCT (submission_partition, submission_offset))::int AS count
     FROM change_log JOIN unnest($2::int[], $3::bigint[], $4::bigint[]) AS sent (partition, since, upto)
       ON submission_partition = sent.partition AND submission_offset >= since AND submission_offset < upto
     WHERE sequence > $1`,
    [
      afterSequence,
      ranges.map(({ partition }) => partition),
      ranges.map(({ from }) => from),
      ranges.map(({ to }) => to),
    ],
  );
  return rows[0]?.count ?? 0;
}

/** The place of a submission in its topic. */
export interface SubmissionPlace {
  partition: number;
  offset: number;
}

/** A change that a submission made. */
export interface SubmittedChange extends SubmissionPlace {
  /** The event's id; null while Kafka does not have the event, and in an earlier epoch, whose ids have expired. */
  eventId: string | null;
  /** Whether Kafka does not have the event yet. */
  isWaiting: boolean;
}

/**
 * The first changes that each submission made, in their order.
 *
 * @param search.afterSequence a sequence before their first change
 * @param search.ofEach the most changes of a submission
 */
export async function loadSubmittedChanges(
  client: ClientBase | Pool,
  { afterSequence, ofEach }: { afterSequence: number; ofEach: number },
  places: readonly SubmissionPlace[],
): Promise<SubmittedChange[]> {
  const { rows } = await client.query<{
    partition: number;
    place: string;
    sequence: string;
    occurred_ms: string;
    epoch: string;
    is_old: boolean;
    offsets: string[] | null;
  }>({
    name: 'changes-of-submissions',
    text: `SELECT sent.partition, sent.place, made.sequence, made.occurred_ms, epoch, made.sequence <= epoch_after AS is_old, (
        SELECT CASE WHEN acknowledged_at IS NOT NULL AND last_sequence >= made.sequence THEN offsets END
        FROM relay_batches WHERE first_sequence <= made.sequence ORDER BY first_sequence DESC LIMIT 1) AS offsets
      FROM stream_head, unnest($3::int[], $4::bigint[]) AS sent (partition, place), LATERAL (
        SELECT sequence, (extract(epoch FROM occurred_at) * 1000)::bigint AS occurred_ms FROM change_log
        WHERE submission_partition = sent.partition AND submission_offset = sent.place AND sequence > $1
        ORDER BY sequence LIMIT $2) AS made
      ORDER BY made.sequence`,
    values: [
      afterSequence,
      ofEach,
      places.map(({ partition }) => partition),
      places.map(({ offset }) => offset),
    ],
  });
  return rows.map(({ partition, place, sequence, occurred_ms: time, epoch, is_old: isOld, offsets }) => {
    const id = isOld || offsets === null ? null : { epoch: Number(epoch), offsets: offsets.map(Number) };
    return {
      partition,
      offset: Number(place),
      eventId: id && formatEventId({ ...id, sequence: Number(sequence), time: Number(time) }),
      isWaiting: !isOld && offsets === null,
    };
  });
}
