import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/** The versioned parts of the data. Endorsements include their counts and the head of the stream. */
export type DataPart = 'endorsements' | 'catalogue' | 'officeholders';

const version = (part: 'catalogue' | 'officeholders') =>
  sql.fragment`(SELECT version::text FROM data_versions WHERE part = ${sql.literalValue(part)})`;

const versions = z.object({
  epoch: z.string(),
  sequence: z.number(),
  catalogue: z.string(),
  officeholders: z.string(),
});
/**
 * How far the data is. While the version of the catalogue or of the officeholders stays the same, reads of it give the
 * same answers. The version of the endorsements is the last change of the stream's epoch.
 */
export type DataVersions = z.infer<typeof versions>;
const COLUMNS = sql.fragment`epoch::text, last_sequence AS sequence, ${version('catalogue')} AS catalogue,
  ${version('officeholders')} AS officeholders`;

const VERSIONS = sql.prepared('data-versions', versions)`SELECT ${COLUMNS} FROM stream_head`;

/** The committed versions, in one snapshot. */
export function loadDataVersions(pool: Pick<DatabasePool, 'one'>): Promise<DataVersions> {
  return pool.one(VERSIONS);
}

const REPLICA_VERSIONS = sql.prepared(
  'replica-data-versions',
  versions.extend({ isReplica: z.boolean() }),
)`SELECT ${COLUMNS}, pg_is_in_recovery() AS "isReplica" FROM stream_head`;

/** The versions that a replica shows. @throws PromotedReplicaError if the server is no longer a replica */
export async function loadReplicaVersions(pool: DatabasePool): Promise<DataVersions> {
  const { isReplica, ...shown } = await pool.one(REPLICA_VERSIONS);
  if (!isReplica) throw new PromotedReplicaError('The replica was promoted.');
  return shown;
}

/** The server was promoted to a primary, so its data may belong to another history. */
export class PromotedReplicaError extends Error {
  override name = 'PromotedReplicaError';
}
