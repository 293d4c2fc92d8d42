import { z } from 'zod';
import type { AnswerChange } from '../../domain/answer-scope.ts';
import { facetsOf } from '../../domain/stream-filter.ts';
import { AvroDecodeError } from '../../schemas/avro-codec.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import { CHANGE_TYPES } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { bodyOf } from '../stream/stored-body.ts';

const change = z.object({
  type: z.enum(CHANGE_TYPES),
  packed: z.instanceof(Buffer).nullable(),
  body: z.custom<ChangeBody>((value) => typeof value === 'object').nullable(),
});

/**
 * The changes with sequences `from` to `to`, both included, in order. Null if the change log lacks one of them, or a
 * later version encoded it.
 */
export async function loadAnswerChanges(
  pool: DatabasePool,
  from: number,
  to: number,
): Promise<AnswerChange[] | null> {
  const rows = await pool.any(
    sql.prepared('answer-changes', change)`
      SELECT type, packed, CASE WHEN packed IS NULL THEN body END AS body
      FROM change_log WHERE sequence BETWEEN ${from}::bigint AND ${to}::bigint ORDER BY sequence`,
  );
  if (rows.length !== to - from + 1) return null;
  try {
    return rows.map(({ type, ...stored }) => {
      const body = bodyOf(stored);
      return { facets: facetsOf(type, body), contestId: body.contest.id, endorsementId: body.endorsement.id };
    });
  } catch (error) {
    if (error instanceof AvroDecodeError) return null;
    throw error;
  }
}
