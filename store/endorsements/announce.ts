/*
 * Announces endorsements whose events carry values that the catalogue no longer has (INV-13). The import that
 * changed the catalogue has listed them in `stale_announcements`; decision 16 explains why they are announced
 * afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Place } from '../../domain/event-size.ts';
import { type ChangeType, FACET_PATHS } from '../../schemas/vocabulary.ts';
import { appendCatalogueChanges, lockStreamHead, type StreamHead } from '../stream/change-log.ts';
import { hashContents, MAX_PER_PART, PAUSE_MS } from './content-hashes.ts';
import { EVENT_JOINS, EVENT_PARTS, type EventPart } from './references.ts';

/** Numbers of events, by type. A changed value that filters use makes one deletion and one creation. */
export interface Announced {
  created: number;
  updated: number;
  deleted: number;
}

/** Nothing announced. */
export const NONE_ANNOUNCED: Announced = { created: 0, updated: 0, deleted: 0 };

const PARTS = Object.keys(EVENT_PARTS) as EventPart[];

/** An object with every part of the catalogue in an event's body. */
const buildParts = (part: (name: EventPart) => string) =>
  `jsonb_build_object(${PARTS.map((name) => `'${name}', ${part(name)}`).join(', ')})`;

/** Whether a value that filters use differs from before the edit. */
const MOVED = Object.values(FACET_PATHS)
  .map((path) => `#>> '{${path.join(',')}}'`)
  .map((value) => `parts ${value} IS DISTINCT FROM old_parts ${value}`)
  .join(' OR ');

/** The stale endorsements of the ids $1, with the parts of their events now and before the edit. */
const COMPARED = `
  stale AS MATERIALIZED (
    SELECT n.id, n.rank, COALESCE(s.settled, 'kept') AS settled,
      jsonb_build_object(
        'id', n.id, 'statement', n.statement, 'source_url', n.source_url, 'published_on', n.published_on) AS endorsement,
      ${buildParts((name) => EVENT_PARTS[name])} AS parts,
      ${buildParts((name) => `COALESCE(s.${name}, ${EVENT_PARTS[name]}::jsonb)`)} AS old_parts
    FROM stale_announcements s JOIN endorsements n ON n.id = s.endorsement_id
    ${EVENT_JOINS}
    WHERE s.endorsement_id = ANY($1)
  ), compared AS (
    SELECT *, ${MOVED} AS moved, parts <> old_parts AS changed FROM stale
  )`;

/** Whether an event tells of the new values of a compared endorsement. */
const IS_TOLD = "(moved OR (changed AND settled <> 'withdrawn'))";

/**
 * The events, by `number`, that make every copy of the stale endorsements of the ids $1 true again (contract,
 * "Stream and events"). A change of a value that filters use becomes a deletion with the old values and a
 * creation with the new ones: otherwise a copy whose filter matched only the old values would keep the
 * endorsement for ever. A withdrawn endorsement is deleted with the values that were announced. If such a value
 * changed too, it is deleted with the new ones as well, because lists have shown it with these since the edit.
 */
const EVENTS = `
  WITH ${COMPARED}, events AS (
    SELECT id, 1 AS step, 'deleted' AS type, rank, endorsement, old_parts AS parts
    FROM compared WHERE settled = 'withdrawn' OR moved
    UNION ALL
    SELECT id, 2, CASE WHEN settled = 'withdrawn' THEN 'deleted' WHEN moved THEN 'created' ELSE 'updated' END,
      CASE WHEN settled <> 'unranked' THEN rank END, endorsement, parts
    FROM compared WHERE ${IS_TOLD}
  )
  SELECT row_number() OVER (ORDER BY id, step) AS number, type,
    parts || jsonb_build_object('endorsement', endorsement || jsonb_build_object('rank', rank)) AS body
  FROM events`;

/** Announces these stale endorsements. The caller holds the stream's lock. @returns the events, and the head after them */
async function announce(
  client: ClientBase,
  head: StreamHead,
  ids: readonly number[],
): Promise<{ appended: Announced; head: StreamHead }> {
  const result = await appendCatalogueChanges(client, head, EVENTS, ids);
  await client.query(
    `WITH announced AS (DELETE FROM stale_announcements WHERE endorsement_id = ANY($1) RETURNING *),
       withdrawn AS (
         DELETE FROM endorsements n USING announced WHERE n.id = endorsement_id AND settled = 'withdrawn')
     UPDATE endorsements n SET rank = NULL FROM announced WHERE n.id = endorsement_id AND settled = 'unranked'`,
    [ids],
  );
  await hashContents(client, ids);
  return result;
}

/**
 * Announces the stale endorsements of these positions before a writer changes them: a change must follow the
 * earlier announcements of its endorsement. The caller holds the stream's lock.
 *
 * @param pairs ids of an endorser and a contest
 * @returns the head after the events
 */
export async function announcePositions(
  client: ClientBase,
  head: StreamHead,
  pairs: readonly (readonly [number, number])[],
): Promise<StreamHead> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT s.endorsement_id::float8 AS id
     FROM unnest($1::int[], $2::int[]) AS pair (endorser_id, contest_id)
     JOIN endorsements n USING (endorser_id, contest_id)
     JOIN stale_announcements s ON s.endorsement_id = n.id`,
    [pairs.map(([endorserId]) => endorserId), pairs.map(([, contestId]) => contestId)],
  );
  if (rows.length === 0) return head;
  const announced = await announce(
    client,
    head,
    rows.map(({ id }) => id),
  );
  return announced.head;
}

/** The ids of the next stale endorsements. */
async function findStale(client: ClientBase, after: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT endorsement_id::float8 AS id FROM stale_announcements WHERE endorsement_id > $1
     ORDER BY endorsement_id LIMIT $2`,
    [after, MAX_PER_PART],
  );
  return rows.map(({ id }) => id);
}

/** Announces the next stale endorsements in a transaction of its own. @returns null if there are none */
async function announcePart(client: ClientBase): Promise<Announced | null> {
  await client.query('BEGIN');
  try {
    const head = await lockStreamHead(client);
    const ids = await findStale(client, 0);
    const { appended } = await announce(client, head, ids);
    if (ids.length === 0) await client.query('UPDATE stream_head SET has_stale = false');
    await client.query('COMMIT');
    return ids.length === 0 ? null : appended;
  } catch (error) {
    // If the connection is lost, this fails and the server rolls back.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Adds the events of a part to the total. */
function add(announced: Announced, part: Announced): void {
  announced.created += part.created;
  announced.updated += part.updated;
  announced.deleted += part.deleted;
}

async function countStale(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM stale_announcements',
  );
  return rows[0]?.count ?? 0;
}

/** Whether stale endorsements may be left. */
export async function hasStale(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ has_stale: boolean }>('SELECT has_stale FROM stream_head');
  return rows[0]?.has_stale ?? false;
}

/**
 * Announces all stale endorsements in parts, each in a transaction of its own. The caller holds the lock
 * `catalogueImport`, so that there is one announcer and no import between its parts.
 *
 * @param client a connection of the caller's own, outside of a transaction
 * @param options.signal stops between two parts; another announcer continues from there
 * @param options.onProgress called with the number of announced endorsements, and the total
 */
export async function announceAllStale(
  client: ClientBase,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number, total: number) => void } = {},
): Promise<Announced> {
  const announced = { ...NONE_ANNOUNCED };
  if (!(await hasStale(client))) return announced;
  const total = onProgress ? await countStale(client) : 0;
  while (!signal?.aborted) {
    const part = await announcePart(client);
    if (!part) break;
    add(announced, part);
    if (onProgress) onProgress(Math.max(0, total - (await countStale(client))), total);
    await sleep(PAUSE_MS);
  }
  return announced;
}

/** The number of events for all stale endorsements if they were announced now. Changes nothing. */
export async function previewStale(client: ClientBase): Promise<Announced> {
  const announced = { ...NONE_ANNOUNCED };
  for (let ids = await findStale(client, 0); ids.length > 0; ids = await findStale(client, ids.at(-1) ?? 0)) {
    const { rows } = await client.query<{ type: ChangeType; count: number }>(
      `SELECT type, count(*)::integer AS count FROM (${EVENTS}) AS events GROUP BY type`,
      [ids],
    );
    for (const { type, count } of rows) announced[type] += count;
  }
  return announced;
}

/** A stale endorsement whose new values an event will tell. */
interface ToldEndorsement {
  id: number;
  statement: string | null;
  source_url: string | null;
  /** The parts of the catalogue in its event, now and before the edit. */
  place: Place;
  before: Place;
}

/** Those of these stale endorsements whose new values an event will tell. */
export async function loadTold(client: ClientBase, ids: readonly number[]): Promise<ToldEndorsement[]> {
  const { rows } = await client.query<ToldEndorsement>(
    `WITH ${COMPARED}
     SELECT id::float8 AS id, endorsement ->> 'statement' AS statement, endorsement ->> 'source_url' AS source_url,
       parts AS place, old_parts AS before
     FROM compared WHERE ${IS_TOLD}`,
    [ids],
  );
  return rows;
}
