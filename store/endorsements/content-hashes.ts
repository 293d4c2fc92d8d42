import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import type { ChangeBody } from '../../schemas/change.ts';
import { hashContent } from '../../schemas/endorsement-content.ts';
import { inTransaction } from '../connection/transaction.ts';
import { lockStreamHead } from '../stream/change-log.ts';
import { EVENT_JOINS, EVENT_PARTS } from './references.ts';

/** The most endorsements per transaction, which holds the stream's lock about as long as a batch of submissions. */
export const MAX_PER_PART = 1000;
/** The pause between two parts, in milliseconds, so that a waiting writer gets the stream's lock. */
export const PAUSE_MS = 10;

/** The present event bodies of these endorsements. */
async function loadBodies(client: ClientBase, ids: readonly number[]): Promise<ChangeBody[]> {
  const { rows } = await client.query<ChangeBody>(
    `SELECT json_build_object('id', n.id, 'rank', n.rank, 'statement', n.statement, 'source_url', n.source_url,
         'published_on', n.published_on) AS endorsement,
       ${EVENT_PARTS.endorser} AS endorser, ${EVENT_PARTS.contest} AS contest, ${EVENT_PARTS.election} AS election,
       ${EVENT_PARTS.choice} AS choice
     FROM endorsements n
     ${EVENT_JOINS}
     WHERE n.id = ANY($1)`,
    [ids],
  );
  return rows;
}

/**
 * Stores the hashes of the present contents of endorsements. The caller holds the stream's lock, and has
 * announced its changes of them.
 */
export async function hashContents(client: ClientBase, ids: readonly number[]): Promise<void> {
  const bodies = await loadBodies(client, ids);
  await client.query(
    `UPDATE endorsements n SET content_hash = hashed.value, without_hash = false
     FROM unnest($1::bigint[], $2::numeric[]) AS hashed (id, value)
     WHERE n.id = hashed.id AND n.content_hash IS DISTINCT FROM hashed.value`,
    [bodies.map(({ endorsement }) => endorsement.id), bodies.map((body) => String(hashContent(body)))],
  );
}

/** Hashes the next endorsements without a hash. @returns their number */
async function hashPart(client: ClientBase): Promise<number> {
  await lockStreamHead(client);
  // Stale endorsements are hashed with their announcement, because clients have their old content until then.
  const { rows } = await client.query<{ id: number }>(
    `SELECT id::float8 AS id FROM endorsements WHERE without_hash
       AND id NOT IN (SELECT endorsement_id FROM stale_announcements)
     ORDER BY endorsements.id LIMIT $1`,
    [MAX_PER_PART],
  );
  await hashContents(
    client,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/**
 * Hashes all endorsements that an earlier version wrote without a hash, in parts.
 *
 * @param signal stops between two parts
 * @returns the number of hashed endorsements
 */
export async function hashLeftovers(pool: Pool, signal: AbortSignal): Promise<number> {
  const { rows } = await pool.query('SELECT FROM endorsements WHERE without_hash LIMIT 1');
  if (rows.length === 0) return 0;
  let total = 0;
  while (!signal.aborted) {
    const hashed = await inTransaction(pool, hashPart);
    if (hashed === 0) break;
    total += hashed;
    await sleep(PAUSE_MS);
  }
  return total;
}
