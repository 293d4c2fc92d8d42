import type { ClientBase } from 'pg';

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
