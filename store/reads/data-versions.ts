import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/**
 * What data is versioned by: endorsements with all that is counted of them and the stream's position; the catalogue;
 * officeholders.
 */
export type DataPart = 'endorsements' | 'catalogue' | 'officeholders';

/** Names of the versions that the parts are in. A part of another version may read otherwise; equal ones do not. */
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

/** The versions that are committed now, of one snapshot. */
export function loadDataVersions(pool: DatabasePool): Promise<DataVersions> {
  return pool.one(VERSIONS);
}
