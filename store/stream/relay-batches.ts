import type { ClientBase, Pool } from 'pg';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { SupersededError } from '../../service/failure.ts';
import { onlyRow } from '../connection/only-row.ts';
import { BYTES_BEFORE, encodedBodyOf, MAX_BODY_BYTES, STORED_BODY, type StoredBody } from './stored-body.ts';

/** The most batches that are dropped at a time, which takes a fraction of a second. */
const MAX_DROPPED = 100_000;

/** A run of the change log that the relay sends to Kafka in one batch. */
export interface RelayBatch {
  firstSequence: number;
  lastSequence: number;
  /** The end of each partition before the batch was first sent: lower bounds for every copy of the batch. */
  offsets: number[];
  acknowledged: boolean;
}

/** The latest batch; undefined before the first. */
export async function loadLastBatch(client: ClientBase): Promise<RelayBatch | undefined> {
  const { rows } = await client.query<RelayBatch>(
    `SELECT first_sequence::float8 AS "firstSequence", last_sequence::float8 AS "lastSequence",
       offsets::float8[] AS offsets, acknowledged_at IS NOT NULL AS acknowledged
     FROM relay_batches ORDER BY first_sequence DESC LIMIT 1`,
  );
  return rows[0];
}

/** The relay's progress. */
export interface RelayProgress {
  /** The last sequence of the change log. */
  logged: number;
  /** The last sequence that Kafka has acknowledged. */
  relayed: number;
  /** The wait of the oldest later change, by the database's clock, in seconds; 0 if none waits. */
  oldestWaitedSeconds: number;
}

/** Loads the relay's progress. */
export async function loadRelayProgress(client: ClientBase | Pool): Promise<RelayProgress> {
  const found = await client.query<RelayProgress>(
    `WITH progress AS (
       SELECT last_sequence AS logged, greatest(epoch_after, (
         SELECT last_sequence FROM relay_batches WHERE acknowledged_at IS NOT NULL
         ORDER BY first_sequence DESC LIMIT 1)) AS relayed
       FROM stream_head)
     SELECT logged::float8 AS logged, relayed::float8 AS relayed,
       greatest(0, COALESCE(extract(epoch FROM clock_timestamp() - (
         SELECT occurred_at FROM change_log WHERE sequence > relayed ORDER BY sequence LIMIT 1)), 0))::float8
         AS "oldestWaitedSeconds"
     FROM progress`,
  );
  return onlyRow(found, 'stream_head');
}

/** A change of the log on its way to Kafka. */
export interface ChangeToRelay {
  sequence: number;
  /** Milliseconds since 1970. */
  occurredAt: number;
  type: ChangeType;
  /** The endorser's slug. */
  endorser: string;
  /** The body, as `encodeBody` encodes it. */
  packed: Buffer;
  /** The append time of its submission, in milliseconds since 1970; null if no submission made it. */
  submittedAt: number | null;
  /** The submission's W3C trace context; null without one. */
  traceparent: string | null;
}

/** Times are bigint, which pg gives as text: a float could lose digits by a setting of the server. */
type RelayRow = Omit<ChangeToRelay, 'packed' | 'occurredAt' | 'submittedAt'> &
  StoredBody & { occurredAt: string; submittedAt: string | null };

const RELAY_COLUMNS = `sequence::float8 AS sequence,
  (extract(epoch FROM occurred_at) * 1000)::bigint AS "occurredAt", type, endorser, ${STORED_BODY},
  (extract(epoch FROM submitted_at) * 1000)::bigint AS "submittedAt", traceparent`;

function changeToRelay({ packed, body, occurredAt, submittedAt, ...change }: RelayRow): ChangeToRelay {
  return {
    ...change,
    packed: encodedBodyOf({ packed, body }),
    occurredAt: Number(occurredAt),
    submittedAt: submittedAt === null ? null : Number(submittedAt),
  };
}

/**
 * Takes the next changes of the log, and records them as a batch before it is first sent, which fixes the ids
 * of its events (INV-3). In the same statement, records that Kafka has the whole previous batch.
 *
 * @param next.from the sequence after the previous batch
 * @param next.to the last sequence that may be taken; null for all
 * @param next.limit the most changes to take; fewer if their bodies have more than `MAX_BODY_BYTES`
 * @param next.offsets the end of each partition before the batch is first sent, or an earlier one
 * @param next.acknowledged the first sequence of a batch that Kafka has; null for none
 * @returns the changes in order; no changes, and no batch, if the log has no more
 * @throws SupersededError if the stream has a newer epoch
 */
export async function takeBatch(
  client: ClientBase,
  next: {
    from: number;
    to: number | null;
    limit: number;
    offsets: readonly number[];
    epoch: number;
    acknowledged: number | null;
  },
): Promise<ChangeToRelay[]> {
  const { rows } = await client.query<RelayRow & { is_begun: boolean }>({
    name: 'take-relay-batch',
    text: `WITH acknowledged AS (
        UPDATE relay_batches SET acknowledged_at = clock_timestamp() WHERE first_sequence = $5),
      next AS MATERIALIZED (
        SELECT ${RELAY_COLUMNS} FROM (
          SELECT *, ${BYTES_BEFORE} FROM (
            SELECT * FROM change_log WHERE sequence BETWEEN $1 AND COALESCE($6, 9223372036854775807)
            ORDER BY sequence LIMIT $2) AS first) AS measured
        WHERE bytes_before < ${MAX_BODY_BYTES}),
      begun AS (
        INSERT INTO relay_batches (first_sequence, last_sequence, offsets)
        SELECT $1, max(sequence), $3 FROM next HAVING (SELECT epoch FROM stream_head) = $4 AND count(*) > 0
        RETURNING first_sequence)
      SELECT next.*, EXISTS (SELECT FROM begun) AS is_begun FROM next ORDER BY sequence`,
    values: [next.from, next.limit, next.offsets, next.epoch, next.acknowledged, next.to],
  });
  if (rows[0]?.is_begun === false)
    throw new SupersededError(`The epoch ${next.epoch} of the stream has ended.`);
  return rows.map(changeToRelay);
}

/** Records that Kafka has the whole batch. */
export async function acknowledgeBatch(client: ClientBase, firstSequence: number): Promise<void> {
  await client.query(
    'UPDATE relay_batches SET acknowledged_at = clock_timestamp() WHERE first_sequence = $1',
    [firstSequence],
  );
}

/** The changes with sequences `from` to `to`, both included, in order. */
export async function loadChanges(
  client: ClientBase,
  { from, to }: { from: number; to: number },
): Promise<ChangeToRelay[]> {
  const { rows } = await client.query<RelayRow>(
    `SELECT ${RELAY_COLUMNS} FROM change_log WHERE sequence BETWEEN $1 AND $2 ORDER BY change_log.sequence`,
    [from, to],
  );
  return rows.map(changeToRelay);
}

/** The last sequence of the change log. */
export async function loadLastSequence(client: ClientBase): Promise<number> {
  const found = await client.query<{ last: number }>('SELECT last_sequence::float8 AS last FROM stream_head');
  return onlyRow(found, 'stream_head').last;
}

/**
 * Creates the change log's partitions for today and tomorrow, and drops the days older than `keepMs`. Changes that Kafka
 * has not acknowledged stay: a relay may have to send them again. Also drops the batches before the first remaining
 * change's, some at a time: a day has millions, and the relay waits meanwhile. The newest batch stays, because new cursors
 * need it.
 *
 * @returns whether that was all; otherwise call it again soon
 */
export async function maintainChangeLog(
  client: ClientBase,
  now: Date,
  keepMs: number,
  maxDropped = MAX_DROPPED,
): Promise<boolean> {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const dayMs = 86_400_000;
  for (const time of [now.getTime(), now.getTime() + dayMs]) {
    await client.query('SELECT ensure_change_log_partition($1::date)', [day(time)]);
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'change_log'::regclass AND c.relname < (
       SELECT to_char(least($1, (
         SELECT occurred_at FROM change_log WHERE sequence > COALESCE((
           SELECT last_sequence FROM relay_batches WHERE acknowledged_at IS NOT NULL
           ORDER BY first_sequence DESC LIMIT 1), 0)
         ORDER BY sequence LIMIT 1)) AT TIME ZONE 'UTC', '"change_log_"YYYYMMDD'))
     ORDER BY c.relname`,
    [new Date(now.getTime() - keepMs)],
  );
  for (const { name } of rows) await client.query(`DROP TABLE ${name}`);
  let isAll = true;
  for (const table of ['relay_batches', 'rebuilt_runs']) {
    const { rowCount } = await client.query(
      `DELETE FROM ${table} WHERE first_sequence <= (SELECT max(first_sequence) FROM (
         SELECT first_sequence FROM ${table} WHERE first_sequence < (
           SELECT first_sequence FROM ${table} WHERE first_sequence <= (SELECT min(sequence) FROM change_log)
           ORDER BY first_sequence DESC LIMIT 1)
         ORDER BY first_sequence LIMIT ${maxDropped}) AS oldest)`,
    );
    if (rowCount === maxDropped) isAll = false;
  }
  return isAll;
}
