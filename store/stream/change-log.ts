import type { ClientBase } from 'pg';
import type { ChangeBody } from '../../schemas/change.ts';
import { encodeBody } from '../../schemas/change-encoding.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { binaryArray } from '../connection/binary-array.ts';
import { onlyRow } from '../connection/only-row.ts';

/** The channel of the NOTIFY, without payload, that tells the relay of new changes. */
export const CHANGES_CHANNEL = 'endorsement_changes';

/** The most changes per INSERT: a removal can be large, and Postgres limits the size of a parameter. */
const MAX_INSERTED = 5000;

/** The head of the change stream, read with the lock on its row. */
export interface StreamHead {
  epoch: number;
  lastSequence: number;
  /** Milliseconds since 1970; -Infinity before the first change. */
  lastOccurredAt: number;
  /** The time on the database's clock, in milliseconds since 1970. */
  now: number;
  /** Whether stale endorsements may remain, whose events carry values of an earlier catalogue. */
  hasStale: boolean;
}

/** The submission that makes a change. */
interface ChangeSubmission {
  /** Its place in the topic of submissions. */
  partition: number;
  offset: number;
  /** The time of its append, in milliseconds since 1970; null if unknown. */
  submittedAt: number | null;
  /** Its W3C trace context; null without one. */
  traceparent: string | null;
  /** The name that its sender gives itself; null without one. */
  sender: string | null;
}

/** A change without a sequence yet. */
export interface NewChange {
  type: ChangeType;
  body: ChangeBody;
  /** The submission that makes the change, if any. */
  submission?: ChangeSubmission;
}

/**
 * Locks the head of the change stream until the transaction ends, which makes the caller the only writer
 * (INV-2).
 *
 * Writers of endorsements must take this lock before any row lock that another writer might wait for.
 */
export async function lockStreamHead(client: ClientBase): Promise<StreamHead> {
  const locked = await client.query<
    Omit<StreamHead, 'lastOccurredAt' | 'now'> & { lastOccurredAt: string; now: string }
  >({
    name: 'lock-stream-head',
    text: `SELECT epoch::float8 AS epoch, last_sequence::float8 AS "lastSequence",
       extract(epoch FROM last_occurred_at) * 1000 AS "lastOccurredAt",
       floor(extract(epoch FROM clock_timestamp()) * 1000) AS now, has_stale AS "hasStale"
     FROM stream_head FOR UPDATE`,
  });
  const head = onlyRow(locked, 'stream_head');
  return { ...head, lastOccurredAt: Number(head.lastOccurredAt), now: Number(head.now) };
}

/** The time of changes appended to this head, in milliseconds since 1970. Times never go back. */
export function timeAfter({ now, lastOccurredAt }: StreamHead): number {
  return Math.max(now, lastOccurredAt);
}

/** The same as ISO 8601 text. */
function formatTimeAfter(head: StreamHead): string {
  return new Date(timeAfter(head)).toISOString();
}

/** Makes the log ready for changes of this time. */
async function openLog(client: ClientBase, time: string): Promise<void> {
  await client.query({
    name: 'open-change-log',
    text: 'SELECT ensure_change_log_partition($1::date)',
    values: [time.slice(0, 10)],
  });
}

/** Moves the head past the appended changes, and notifies the relay. */
async function moveHead(client: ClientBase, appended: number, time: string): Promise<void> {
  await client.query({
    name: 'move-stream-head',
    text: `UPDATE stream_head SET last_sequence = last_sequence + $1, last_occurred_at = $2
      RETURNING pg_notify('${CHANGES_CHANNEL}', '')`,
    values: [appended, time],
  });
}

/**
 * Appends changes of endorsers to the log, in the given order, and moves the head past them, within the
 * caller's transaction. Times never go back, even if the clock does. Sends all statements without waiting
 * between them.
 *
 * @param head the result of `lockStreamHead` in the same transaction.
 */
export async function appendChanges(
  client: ClientBase,
  head: StreamHead,
  changes: readonly NewChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const time = formatTimeAfter(head);
  const statements = [openLog(client, time)];
  for (let start = 0; start < changes.length; start += MAX_INSERTED) {
    const run = changes.slice(start, start + MAX_INSERTED);
    statements.push(insertChanges(client, head.lastSequence + start, time, run));
  }
  await Promise.all([...statements, moveHead(client, changes.length, time)]);
}

async function insertChanges(
  client: ClientBase,
  after: number,
  time: string,
  changes: readonly NewChange[],
): Promise<void> {
  await client.query({
    name: 'append-changes',
    text: `INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, packed, election_id, contest_id,
        submission_partition, submission_offset, submitted_at, traceparent, submitted_by)
      SELECT $1::bigint + n, $2::timestamptz, type, endorser, endorsement_id, packed, election_id, contest_id,
        partition, place, to_timestamp(submitted_ms / 1000), traceparent, sender
      FROM unnest($3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::int[], $8::int[], $9::int[], $10::bigint[],
        $11::float8[], $12::text[], $13::text[]) WITH ORDINALITY
        AS changes (type, endorser, endorsement_id, packed, election_id, contest_id, partition, place, submitted_ms,
          traceparent, sender, n)`,
    values: [
      after,
      time,
      changes.map(({ type }) => type),
      binaryArray(
        'text',
        changes.map(({ body }) => body.endorser.slug),
      ),
      changes.map(({ body }) => body.endorsement.id),
      binaryArray(
        'bytea',
        changes.map(({ body }) => encodeBody(body)),
      ),
      changes.map(({ body }) => body.election.id),
      changes.map(({ body }) => body.contest.id),
      changes.map(({ submission }) => submission?.partition ?? null),
      changes.map(({ submission }) => submission?.offset ?? null),
      changes.map(({ submission }) => submission?.submittedAt ?? null),
      changes.map(({ submission }) => submission?.traceparent ?? null),
      changes.map(({ submission }) => submission?.sender ?? null),
    ],
  });
}

/**
 * Appends changes of a catalogue edit, as `appendChanges` does for changes of endorsers.
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
  const time = formatTimeAfter(head);
  await openLog(client, time);
  const { rows } = await client.query<{ type: ChangeType; count: number }>(
    `WITH inserted AS (
       INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body, contest_id, from_catalogue)
       SELECT $2::bigint + number, $3, type, body -> 'endorser' ->> 'slug', (body -> 'endorsement' ->> 'id')::bigint,
         body, (body -> 'contest' ->> 'id')::integer, true
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
