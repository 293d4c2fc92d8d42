import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/** The versioned parts of the data. Endorsements include their counts and the head of the stream. */
export type DataPart = 'endorsements' | 'catalogue' | 'officeholders';

/** The version of each part. While it stays the same, reads of the part give the same answers. */
export type DataVersions = Readonly<Record<DataPart, string>>;

const version = (part: 'catalogue' | 'officeholders') =>
  sql.fragment`(SELECT version::text FROM data_versions WHERE part = ${sql.literalValue(part)})`;

const VERSIONS = sql.prepared(
  'data-versions',
  z.object({ endorsements: z.string(), catalogue: z.string(), officeholders: z.string() }),
)`
  SELECT epoch || '.' || last_sequence AS endorsements, ${version('catalogue')} AS catalogue,
    ${version('officeholders')} AS officeholders
  FROM stream_head`;

/** The committed versions, in one snapshot. */
export function loadDataVersions(pool: DatabasePool): Promise<DataVersions> {
  return pool.one(VERSIONS);
}

const REPLICA_VERSIONS = sql.prepared(
  'replica-data-versions',
  z.object({
    endorsements: z.string(),
    catalogue: z.string(),
    officeholders: z.string(),
    isReplica: z.boolean(),
  }),
)`
  SELECT epoch || '.' || last_sequence AS endorsements, ${version('catalogue')} AS catalogue,
    ${version('officeholders')} AS officeholders, pg_is_in_recovery() AS "isReplica"
  FROM stream_head`;

/**
 * The versions that a replica shows.
 *
 * @throws PromotedReplicaError if the server is no longer a replica
 */
export async function loadReplicaVersions(pool: DatabasePool): Promise<DataVersions> {
  const { isReplica, ...versions } = await pool.one(REPLICA_VERSIONS);
  if (!isReplica) throw new PromotedReplicaError('The replica was promoted.');
  return versions;
}

/** The server was promoted to a primary, so its data may belong to another history. */
export class PromotedReplicaError extends Error {
  override name = 'PromotedReplicaError';
}
