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
  /** Whether endorsements may be left whose events carry values of an earlier catalogue. */
  hasStale: boolean;
}

/** The submission that makes a change. */
interface ChangeSubmission {
  /** Its place in the topic of submissions. */
  partition: number;
  offset: number;
  /** When it was appended there, in milliseconds since 1970; null if that is unknown. */
  submittedAt: number | null;
  /** The W3C trace context that it carried; null if there is none. */
  traceparent: string | null;
}

/** A change without a sequence yet. */
export interface NewChange {
  type: ChangeType;
  body: ChangeBody;
  /** The submission that makes the change; absent if none does. */
  submission?: ChangeSubmission;
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
    has_stale: boolean;
  }>(
    `SELECT epoch, last_sequence, extract(epoch FROM last_occurred_at) * 1000 AS last_occurred_ms,
       floor(extract(epoch FROM clock_timestamp()) * 1000) AS now_ms, has_stale
     FROM stream_head FOR UPDATE`,
  );
  const row = rows[0];
  if (!row) throw new Error('The table stream_head has no row.');
  return {
    epoch: Number(row.epoch),
    lastSequence: Number(row.last_sequence),
    lastOccurredAt: Number(row.last_occurred_ms),
    now: Number(row.now_ms),
    hasStale: row.has_stale,
  };
}

/** When changes occur that are appended to this head, in milliseconds since 1970. Times never go back. */
export function timeAfter({ now, lastOccurredAt }: StreamHead): number {
  return Math.max(now, lastOccurredAt);
}

/** Makes the log ready for changes that are appended to this head. @returns their time, ISO 8601 */
async function openLog(client: ClientBase, head: StreamHead): Promise<string> {
  const time = new Date(timeAfter(head)).toISOString();
  await client.query('SELECT ensure_change_log_partition($1::date)', [time.slice(0, 10)]);
  return time;
}

/** Moves the head past changes that were appended, and tells the relay. */
async function moveHead(client: ClientBase, appended: number, time: string): Promise<void> {
  await client.query('UPDATE stream_head SET last_sequence = last_sequence + $1, last_occurred_at = $2', [
    appended,
    time,
  ]);
  await client.query(`NOTIFY ${CHANGES_CHANNEL}`);
}

/**
 * Appends changes that endorsers make to the log, in the order given, and moves the head past them, within the caller's
 * transaction. Times never go back, even if the clock does.
 *
 * @param head the result of `lockStreamHead` in the same transaction.
 */
export async function appendChanges(
  client: ClientBase,
  head: StreamHead,
  changes: NewChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const time = await openLog(client, head);
  for (let start = 0; start < changes.length; start += MAX_INSERTED) {
    const run = changes.slice(start, start + MAX_INSERTED);
    await client.query(
      `INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body,
         submission_partition, submission_offset, submitted_at, traceparent)
       SELECT $1::bigint + n, $2, change ->> 'type', body -> 'endorser' ->> 'slug',
         (body -> 'endorsement' ->> 'id')::bigint, body,
         (change -> 'submission' ->> 'partition')::int, (change -> 'submission' ->> 'offset')::bigint,
         to_timestamp((change -> 'submission' ->> 'submittedAt')::float8 / 1000), change -> 'submission' ->> 'traceparent'
       FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS changes (change, n),
         jsonb_extract_path(change, 'body') AS body`,
      [head.lastSequence + start, time, JSON.stringify(run)],
    );
  }
  await moveHead(client, changes.length, time);
}

/**
 * Appends changes that an edit of the catalogue makes, as `appendChanges` does for those of endorsers.
 *
 * @param events a query of `number`, their order, `type` and `body`; its one parameter is $1
 * @returns how many changes of each type it appended, and the head after them
 */
export async function appendCatalogueChanges(
  client: ClientBase,
  head: StreamHead,
  events: string,
  parameter: unknown,
): Promise<{ appended: Record<ChangeType, number>; head: StreamHead }> {
  const time = await openLog(client, head);
  const { rows } = await client.query<{ type: ChangeType; count: number }>(
    `WITH inserted AS (
       INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body, from_catalogue)
       SELECT $2::bigint + number, $3, type, body -> 'endorser' ->> 'slug', (body -> 'endorsement' ->> 'id')::bigint,
         body, true
       FROM (${events}) AS events RETURNING type)
     SELECT type, count(*)::integer AS count FROM inserted GROUP BY type`,
    [parameter, head.lastSequence, time],
  );
  const appended = {
    created: 0,
    updated: 0,
    deleted: 0,
    ...Object.fromEntries(rows.map((row) => [row.type, row.count])),
  };
  const total = appended.created + appended.updated + appended.deleted;
  if (total === 0) return { appended, head };
  await moveHead(client, total, time);
  return { appended, head: { ...head, lastSequence: head.lastSequence + total } };
}
