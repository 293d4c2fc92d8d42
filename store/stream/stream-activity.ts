import type { ClientBase, Pool } from 'pg';
import type { ChangeBody } from '../../schemas/change.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { bodyOf, STORED_BODY, type StoredBody } from './stored-body.ts';

/** The recent changes of endorsements. */
export interface StreamActivity {
  /** The number of changes in the last minute. */
  lastMinute: number;
  /** The time of the newest change; null before the first. */
  newestAt: Date | null;
}

/** Counts the recent changes. Sequences are dense, so the first of the last minute gives the number (INV-2). */
export async function loadStreamActivity(client: ClientBase | Pool): Promise<StreamActivity> {
  const { rows } = await client.query<{ lastMinute: number; newestAt: Date | number }>(
    `SELECT last_occurred_at AS "newestAt", COALESCE(last_sequence - (
       SELECT sequence FROM change_log WHERE occurred_at > clock_timestamp() - interval '1 minute'
       ORDER BY occurred_at, sequence LIMIT 1) + 1, 0)::float8 AS "lastMinute"
     FROM stream_head`,
  );
  const { lastMinute = 0, newestAt } = rows[0] ?? {};
  return { lastMinute, newestAt: newestAt instanceof Date ? newestAt : null };
}

/** A change as the log has it. */
export interface LoggedChange {
  occurredAt: Date;
  type: ChangeType;
  body: ChangeBody;
}

/** The newest changes, the last one first. */
export async function listNewestChanges(client: ClientBase | Pool, limit: number): Promise<LoggedChange[]> {
  const { rows } = await client.query<StoredBody & Omit<LoggedChange, 'body'>>(
    `SELECT occurred_at AS "occurredAt", type, ${STORED_BODY} FROM change_log ORDER BY sequence DESC LIMIT $1`,
    [limit],
  );
  return rows.map(({ occurredAt, type, ...stored }) => ({ occurredAt, type, body: bodyOf(stored) }));
}
