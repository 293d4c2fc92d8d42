import type pg from 'pg';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { type Announced, announceAllStale, NONE_ANNOUNCED, previewStale } from '../endorsements/announce.ts';
import { lockStreamHead } from '../stream/change-log.ts';
import { findLong, refuseLargeEvents } from './large-events.ts';
import { listUnranked } from './settled.ts';
import { beginEdit, dropUnchangedParts, listStale, loadNewest } from './stale.ts';

/** The result of an edit's work. */
export interface EditOutcome<T> {
  result: T;
  /** Whether to commit the work's changes to the catalogue; otherwise they are rolled back. */
  keep: boolean;
}

export interface EditOptions {
  /** Does everything, reports the result, and rolls back. */
  dryRun: boolean;
  /** Called before a wait for another edit, which can take minutes. */
  onWait?: () => void;
  /** Called before the commit. The signal leaves the announcements that are then still to be made to the consumers. */
  onCommit?: () => AbortSignal;
  /** Called with the number of endorsements announced since the commit, and the total. */
  onAnnounced?: (done: number, total: number) => void;
}

/**
 * Edits the catalogue in one transaction, and then announces every endorsement whose events the edit made
 * stale (INV-13).
 *
 * The transaction lists these endorsements. Most of the list is made without the stream's lock, because it
 * takes seconds for large elections. The lock is taken only to add newer endorsements, to measure the few
 * with long texts, and to commit. The announcements follow in transactions of their own. If this process dies
 * between them, the consumers continue.
 *
 * @param client a connection of the caller's own, outside of a transaction
 * @returns the result of the work, and the events that were made, or that a dry run would make
 * @throws OperatorError if an event would be too large, the errors of `work` and of the database, after rolling back
 */
export async function editCatalogue<T>(
  client: pg.Client,
  work: () => Promise<EditOutcome<T>>,
  { dryRun, onWait, onCommit, onAnnounced }: EditOptions,
): Promise<{ result: T; announced: Announced }> {
  await lockCatalogue(client, onWait);
  try {
    // Finishes an interrupted edit, whose remaining rows both this edit and the stream's writer would lock.
    await announceAllStale(client);
    let signal: AbortSignal | undefined;
    const beforeCommit = () => {
      signal = onCommit?.();
    };
    const { result, kept, preview } = await inTransaction(client, work, { dryRun, beforeCommit });
    if (!kept) return { result, announced: preview };
    const options = { ...(signal && { signal }), ...(onAnnounced && { onProgress: onAnnounced }) };
    return { result, announced: await announceAllStale(client, options) };
  } finally {
    // If the connection is lost, this fails and the server releases the lock.
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.catalogueImport]).catch(() => {});
  }
}

/** Waits until no other edit is at work. */
async function lockCatalogue(client: pg.Client, onWait: EditOptions['onWait']): Promise<void> {
  const lock = [ADVISORY_LOCKS.catalogueImport];
  const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', lock);
  if (rows[0]?.free) return;
  onWait?.();
  await client.query('SELECT pg_advisory_lock($1)', lock);
}

async function inTransaction<T>(
  client: pg.Client,
  work: () => Promise<EditOutcome<T>>,
  { dryRun, beforeCommit }: { dryRun: boolean; beforeCommit: () => void },
): Promise<{ result: T; kept: boolean; preview: Announced }> {
  await client.query('BEGIN');
  try {
    await beginEdit(client);
    const { result, keep } = await work();
    let preview = NONE_ANNOUNCED;
    if (keep && (await dropUnchangedParts(client))) {
      const newest = await loadNewest(client);
      await listStale(client, 0);
      const long = await findLong(client);
      if (!dryRun) await listLatecomers(client, newest.endorsement);
      await listUnranked(client);
      await refuseLargeEvents(client, [...long, ...(await findLong(client, newest.sequence))]);
      if (dryRun) preview = await previewStale(client);
    }
    const kept = keep && !dryRun;
    if (kept) beforeCommit();
    await client.query(kept ? 'COMMIT' : 'ROLLBACK');
    return { result, kept, preview };
  } catch (error) {
    // If the connection is lost, this fails and the server rolls back.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Adds the endorsements made while the list was made. From here to the commit there can be no more. */
async function listLatecomers(client: pg.Client, after: number): Promise<void> {
  await lockStreamHead(client);
  await listStale(client, after);
  await client.query('UPDATE stream_head SET has_stale = true');
}
