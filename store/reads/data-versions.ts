import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/** The parts of the data that have versions. Endorsements include the counts of them and the head of the stream. */
export type DataPart = 'endorsements' | 'catalogue' | 'officeholders';

/** The version of each part. While a part has the same version, reads of it give the same answers. */
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
