import { z } from 'zod';
import { BUCKET_SIZE, type BucketSum } from '../../domain/digest.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import {
  allOf,
  ballotConditions,
  type ContestFilters,
  type EndorserFilters,
  electionConditions,
  endorserConditions,
} from './conditions.ts';
import { offsetsAfter, pointRow, type StreamPoint } from './stream-points.ts';

/** The choice of a digest's endorsements. */
export type DigestFilters = EndorserFilters & Omit<ContestFilters, 'electionsFrom'>;

export interface StoredSums {
  sums: BucketSum[];
  /** The exact point of the stream of these sums, from the same snapshot. */
  stream: StreamPoint;
  /** Whether edits of the catalogue await announcement: filters and lists may then show values from no event yet. */
  hasStale: boolean;
  /** Whether the sums lack endorsements of an earlier version, which have no hash yet. */
  lacksHashes: boolean;
}

const row = pointRow.extend({
  hasStale: z.boolean(),
  buckets: z.array(
    z.object({ bucket: z.number(), count: z.number(), sum: z.string(), without_hash: z.number() }),
  ),
});

/** Adds up the hashes of the endorsements that a filter chooses, by bucket. */
export async function sumHashes(pool: DatabasePool, filters: DigestFilters): Promise<StoredSums> {
  const endorsers = endorserConditions(filters);
  const contests = [...electionConditions(filters), ...ballotConditions(filters)];
  const none = sql.fragment``;
  const { buckets, hasStale, ...stream } = await pool.one(sql.type(row)`
    SELECT s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets,
      s.has_stale AS "hasStale", COALESCE((
        SELECT json_agg(found ORDER BY bucket) FROM (
          SELECT n.id / ${BUCKET_SIZE}::bigint AS bucket, count(*) AS count,
            COALESCE(sum(n.content_hash), 0)::text AS sum, count(*) - count(n.content_hash) AS without_hash
          FROM endorsements n
          ${endorsers.length > 0 ? sql.fragment`JOIN endorsers e ON e.id = n.endorser_id` : none}
          ${
            contests.length > 0
              ? sql.fragment`JOIN contests c ON c.id = n.contest_id JOIN districts d ON d.id = c.district_id
                  JOIN elections l ON l.id = n.election_id`
              : none
          }
          WHERE ${allOf([...endorsers, ...contests])}
          GROUP BY 1) AS found), '[]') AS buckets
    FROM stream_head s`);
  return {
    sums: buckets.map(({ bucket, count, sum }) => ({ bucket, count, sum: BigInt(sum) })),
    stream,
    hasStale,
    lacksHashes: buckets.some(({ without_hash }) => without_hash > 0),
  };
}
