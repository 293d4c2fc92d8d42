import type { ClientBase, Pool } from 'pg';
import { makeStorable } from '../../schemas/catalogue/storable.ts';
import { shorten } from '../../schemas/problems.ts';
import type { SubmissionPlace } from './change-submissions.ts';

/** A rejected submission, or a batch that could not be read. */
export interface RejectedSubmission {
  partition: number;
  offset: number;
  /** The offset of the last record of a batch; null for a submission. */
  lastOffset: number | null;
  code: string;
  message: string;
}

/** The longest reason to keep, in characters. The rejected topic has the whole one. */
const MAX_REASON = 1000;
/** Publications are forgotten earlier. */
const KEPT_DAYS = 8;
const MAX_KEPT = 1_000_000;
/** How many of the oldest rejections storing some examines, besides two for each: their number falls. */
const EXAMINED_AT_ONCE = 100;

/**
 * Keeps the reasons of rejections for those that ask what became of a submission, within the transaction that rejects.
 * Forgets old ones.
 */
export async function keepReasons(
  client: ClientBase,
  rejected: readonly RejectedSubmission[],
): Promise<void> {
  const keeping = client.query({
    name: 'keep-reasons',
    text: `INSERT INTO rejected_submissions (partition, first_offset, last_offset, code, message)
      SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])`,
    values: [
      rejected.map(({ partition }) => partition),
      rejected.map(({ offset }) => offset),
      rejected.map(({ offset, lastOffset }) => lastOffset ?? offset),
      rejected.map(({ code }) => code),
      // A NUL, which a producer's text can have, cannot be stored.
      rejected.map(({ message }) => makeStorable(shorten(message, MAX_REASON))),
    ],
  });
  const forgetting = client.query({
    name: 'forget-reasons',
    text: `DELETE FROM rejected_submissions WHERE id IN (
      SELECT id FROM (SELECT id, rejected_at FROM rejected_submissions ORDER BY id LIMIT $1) AS oldest
      WHERE rejected_at < now() - $2 * interval '1 day' OR id <= (SELECT max(id) FROM rejected_submissions) - $3)`,
    values: [EXAMINED_AT_ONCE + 2 * rejected.length, KEPT_DAYS, MAX_KEPT],
  });
  await Promise.all([keeping, forgetting]);
}

/** The rejections of submissions. @param afterRejection the id of a rejection before them */
export async function loadReasons(
  client: ClientBase | Pool,
  afterRejection: number,
  places: readonly SubmissionPlace[],
): Promise<(SubmissionPlace & { code: string; message: string })[]> {
  const { rows } = await client.query<SubmissionPlace & { code: string; message: string }>({
    name: 'reasons-of-submissions',
    text: `SELECT sent.partition, sent.place::float8 AS offset, r.code, r.message
      FROM unnest($2::int[], $3::bigint[]) AS sent (partition, place), LATERAL (
        SELECT code, message, first_offset FROM rejected_submissions
        WHERE partition = sent.partition AND last_offset >= sent.place AND id > $1
        ORDER BY last_offset LIMIT 1) AS r
      WHERE r.first_offset <= sent.place`,
    values: [afterRejection, places.map(({ partition }) => partition), places.map(({ offset }) => offset)],
  });
  return rows;
}
