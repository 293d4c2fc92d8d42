/*
 * Announces endorsements whose events carry values that the catalogue no longer has (INV-13). The import that changed the
 * catalogue has listed them in `stale_announcements`; decision 16 says why they are announced afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { announceStale } from '../../domain/announcement.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import { appendChanges, lockStreamHead, type NewChange } from '../stream/change-log.ts';
import { EVENT_PARTS, EVENT_TABLES, type EventPart } from './references.ts';

/** How many endorsements one transaction announces: it holds the stream's lock about as long as a batch of submissions. */
const MAX_PER_PART = 1000;
/** The pause between two parts, in milliseconds, so that a writer that waits for the stream's lock gets it. */
const PAUSE_MS = 10;

/** How many events were made, by type. An endorsement of which filters see another value makes one deletion and one creation. */
export interface Announced {
  created: number;
  updated: number;
  deleted: number;
}

/** Nothing announced. */
export const NONE_ANNOUNCED: Announced = { created: 0, updated: 0, deleted: 0 };

interface StaleRow extends ChangeBody {
  removed: boolean;
  /** The parts that have changed, as they were announced; null for the others. */
  announced: { [Part in EventPart]: ChangeBody[Part] | null };
}

async function loadStale(client: ClientBase, ids: readonly number[]): Promise<StaleRow[]> {
  const { rows } = await client.query<StaleRow>(
    `SELECT json_build_object(
         'id', n.id, 'rank', n.rank, 'statement', n.statement, 'source_url', n.source_url,
         'published_on', n.published_on) AS endorsement,
       ${EVENT_PARTS.endorser} AS endorser, ${EVENT_PARTS.contest} AS contest, ${EVENT_PARTS.election} AS election,
       ${EVENT_PARTS.choice} AS choice,
       c.removed_at IS NOT NULL OR h.removed_at IS NOT NULL AS removed,
       to_jsonb(s) - 'endorsement_id' AS announced
     FROM stale_announcements s JOIN endorsements n ON n.id = s.endorsement_id
     JOIN (${EVENT_TABLES.endorser}) ON e.id = n.endorser_id
     JOIN (${EVENT_TABLES.contest}) ON c.id = n.contest_id
     JOIN ${EVENT_TABLES.election} ON l.id = n.election_id
     JOIN (${EVENT_TABLES.choice}) ON h.id = n.choice_id
     WHERE s.endorsement_id = ANY($1)
     ORDER BY n.id`,
    [ids],
  );
  return rows;
}

/** The changes that announce a stale endorsement. */
function changesOf({ removed, announced: old, ...current }: StaleRow): NewChange[] {
  const announced = {
    endorsement: current.endorsement,
    endorser: old.endorser ?? current.endorser,
    contest: old.contest ?? current.contest,
    election: old.election ?? current.election,
    choice: old.choice ?? current.choice,
  };
  const due = announceStale({ announced, current, isRemoved: removed });
  return due.map((announcement) => ({ ...announcement, fromCatalogue: true }));
}

/**
 * The changes that announce these stale endorsements, to be appended to the change log in the same transaction.
 * Endorsements of removed contests and choices are deleted. The caller holds the stream's lock.
 */
async function announce(client: ClientBase, ids: readonly number[]): Promise<NewChange[]> {
  if (ids.length === 0) return [];
  const rows = await loadStale(client, ids);
  const changes = rows.flatMap(changesOf);
  const gone = rows.filter(({ removed }) => removed).map(({ endorsement }) => endorsement.id);
  if (gone.length > 0) await client.query('DELETE FROM endorsements WHERE id = ANY($1)', [gone]);
  await client.query('DELETE FROM stale_announcements WHERE endorsement_id = ANY($1)', [ids]);
  return changes;
}

/**
 * The changes that announce the stale endorsements of these positions, for a writer that is about to change them: a change
 * of an endorsement must follow what was announced of it. The caller holds the stream's lock.
 *
 * @param pairs ids of an endorser and a contest
 */
export async function announcePositions(
  client: ClientBase,
  pairs: readonly (readonly [number, number])[],
): Promise<NewChange[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT s.endorsement_id AS id
     FROM unnest($1::int[], $2::int[]) AS pair (endorser_id, contest_id)
     JOIN endorsements n USING (endorser_id, contest_id)
     JOIN stale_announcements s ON s.endorsement_id = n.id`,
    [pairs.map(([endorserId]) => endorserId), pairs.map(([, contestId]) => contestId)],
  );
  return announce(
    client,
    rows.map(({ id }) => Number(id)),
  );
}

/** The ids of the next stale endorsements. */
async function findStale(client: ClientBase, after: number): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT endorsement_id AS id FROM stale_announcements WHERE endorsement_id > $1
     ORDER BY endorsement_id LIMIT $2`,
    [after, MAX_PER_PART],
  );
  return rows.map(({ id }) => Number(id));
}

/** Adds the number of changes of each type. */
function count(announced: Announced, changes: readonly NewChange[]): void {
  for (const { type } of changes) announced[type] += 1;
}

/** Announces the next stale endorsements in a transaction of its own. @returns null if there are none */
async function announcePart(client: ClientBase): Promise<NewChange[] | null> {
  await client.query('BEGIN');
  try {
    const head = await lockStreamHead(client);
    const ids = await findStale(client, 0);
    const changes = await announce(client, ids);
    await appendChanges(client, head, changes);
    if (ids.length === 0) await client.query('UPDATE stream_head SET has_stale = false');
    await client.query('COMMIT');
    return ids.length === 0 ? null : changes;
  } catch (error) {
    // Fails if the connection is lost, and then the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Whether stale endorsements may be left. */
export async function hasStale(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ has_stale: boolean }>('SELECT has_stale FROM stream_head');
  return rows[0]?.has_stale ?? false;
}

/**
 * Announces all stale endorsements, part after part, each in a transaction of its own. The caller holds the lock
 * `catalogueImport`, so that there is one announcer, and no import between its parts.
 *
 * @param client a connection of the caller's own, outside of a transaction
 * @param signal stops between two parts; another announcer goes on from there
 */
export async function announceAllStale(client: ClientBase, signal?: AbortSignal): Promise<Announced> {
  const announced = { ...NONE_ANNOUNCED };
  if (!(await hasStale(client))) return announced;
  while (!signal?.aborted) {
    const changes = await announcePart(client);
    if (!changes) break;
    count(announced, changes);
    await sleep(PAUSE_MS);
  }
  return announced;
}

/** The number of events that would be made if all stale endorsements were announced now. Changes nothing. */
export async function previewStale(client: ClientBase): Promise<Announced> {
  const announced = { ...NONE_ANNOUNCED };
  for (let ids = await findStale(client, 0); ids.length > 0; ids = await findStale(client, ids.at(-1) ?? 0)) {
    const rows = await loadStale(client, ids);
    for (const row of rows) count(announced, changesOf(row));
  }
  return announced;
}
