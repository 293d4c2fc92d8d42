import type { Pool } from 'pg';
import { type ChangeFacets, facetsOf } from '../../domain/stream-filter.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { bodyOf, STORED_BODY, type StoredBody } from './stored-body.ts';

/** The sequences of changes from `first` to `last`, both included. */
export interface SequenceRange {
  first: number;
  last: number;
}

/** The changes since a time; null if there are none. */
export async function findChangesSince(pool: Pool, since: Date): Promise<SequenceRange | null> {
  const { rows } = await pool.query<SequenceRange>(
    `SELECT found.sequence::float8 AS first, last_sequence::float8 AS last
     FROM stream_head, (
       SELECT sequence FROM change_log WHERE occurred_at >= $1 ORDER BY occurred_at, sequence LIMIT 1) AS found`,
    [since],
  );
  return rows[0] ?? null;
}

/**
 * Reads the values of changes that filters use.
 *
 * @param since the time of the first change or earlier, which limits the searched days
 */
export async function readFacets(
  pool: Pool,
  { first, last }: SequenceRange,
  since: Date,
): Promise<ChangeFacets[]> {
  const { rows } = await pool.query<StoredBody & { type: ChangeType }>({
    name: 'facets-of-changes',
    text: `SELECT type, ${STORED_BODY} FROM change_log
      WHERE sequence BETWEEN $1 AND $2 AND occurred_at >= $3`,
    values: [first, last, since],
  });
  return rows.map((row) => facetsOf(row.type, bodyOf(row)));
}
