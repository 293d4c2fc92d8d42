import type { ClientBase } from 'pg';
import type { ChangeBody } from '../../schemas/change.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';

/** The channel of the NOTIFY, without payload, that tells the relay of new changes. */
export const CHANGES_CHANNEL = 'endorsement_changes';

/** The most changes of one INSERT. Removals can be large, and the size of a parameter is limited. */
const MAX_INSERTED = 5000;

/** The head of the change stream, as read when its row was locked. */
export interface StreamHead {
  epoch: number;
  lastSequence: number;
  /** Milliseconds since 1970; -Infinity before the first change. */
  lastOccurredAt: number;
  /** The time on the database's clock, in milliseconds since 1970. */
  now: number;
}

/** A change without a sequence yet. */
export interface NewChange {
  type: ChangeType;
  body: ChangeBody;
  /** The place in the topic of submissions of the submission that makes the change; absent if none does. */
  submission?: { partition: number; offset: number };
}

/**
 * Locks the head of the change stream until the transaction ends, which makes the caller the only writer (INV-2).
 *
 * Writers of endorsements must take this lock before any row lock that another writer might wait for.
 */
export async function lockStreamHead(client: ClientBase): Promise<StreamHead> {
  const { rows } = await client.query<{
    epoch: string;
    last_sequence: string;
    last_occurred_ms: string;
    now_ms: string;
  }>(
    `SELECT epoch, last_sequence, extract(epoch FROM last_occurred_at) * 1000 AS last_occurred_ms,
       floor(extract(epoch FROM clock_timestamp()) * 1000) AS now_ms
     FROM stream_head FOR UPDATE`,
  );
  const row = rows[0];
  if (!row) throw new Error('The table stream_head has no row.');
  return {
    epoch: Number(row.epoch),
    lastSequence: Number(row.last_sequence),
    lastOccurredAt: Number(row.last_occurred_ms),
    now: Number(row.now_ms),
  };
}

/** When changes occur that are appended to this head, in milliseconds since 1970. Times never go back. */
export function timeAfter({ now, lastOccurredAt }: StreamHead): number {
  return Math.max(now, lastOccurredAt);
}

/**
 * Appends changes to the log in the order given and moves the head past them, within the caller's transaction. Times
 * never go back, even if the clock does.
 *
 * @param head the result of `lockStreamHead` in the same transaction.
 * @returns when the changes occurred, in milliseconds since 1970.
 */
export async function appendChanges(
  client: ClientBase,
  head: StreamHead,
  changes: NewChange[],
): Promise<number> {
  const occurredAt = timeAfter(head);
  if (changes.length === 0) return occurredAt;
  const time = new Date(occurredAt).toISOString();
  await client.query('SELECT ensure_change_log_partition($1::date)', [time.slice(0, 10)]);
  for (let start = 0; start < changes.length; start += MAX_INSERTED) {
    const run = changes.slice(start, start + MAX_INSERTED);
    await client.query(
      `INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body,
         submission_partition, submission_offset)
       SELECT $1::bigint + n, $2, change ->> 'type', body -> 'endorser' ->> 'slug',
         (body -> 'endorsement' ->> 'id')::bigint, body,
         (change -> 'submission' ->> 'partition')::int, (change -> 'submission' ->> 'offset')::bigint
       FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS changes (change, n),
         jsonb_extract_path(change, 'body') AS body`,
      [head.lastSequence + start, time, JSON.stringify(run)],
    );
  }
  await client.query('UPDATE stream_head SET last_sequence = last_sequence + $1, last_occurred_at = $2', [
    changes.length,
    time,
  ]);
  await client.query(`NOTIFY ${CHANGES_CHANNEL}`);
  return occurredAt;
}
