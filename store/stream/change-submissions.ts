import type { ClientBase, Pool } from 'pg';
import { EVENT_ID, type EventIdRow, eventIdOf, type KnownEvent } from './event-id.ts';

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
export interface SubmittedChange extends SubmissionPlace, KnownEvent {}

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
  const { rows } = await client.query<SubmissionPlace & EventIdRow>({
    name: 'changes-of-submissions',
    text: `SELECT sent.partition, sent.place::float8 AS offset, ${EVENT_ID}
      FROM stream_head, unnest($3::int[], $4::bigint[]) AS sent (partition, place), LATERAL (
        SELECT sequence, occurred_at FROM change_log
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
  return rows.map((row) => ({ partition: row.partition, offset: row.offset, ...eventIdOf(row) }));
}
