import type { Pool } from 'pg';

/** Where the stream stands in the store. */
export interface StoredStreamPosition {
  epoch: number;
  sequence: number;
  /** By partition: lower bounds of where the changes after `sequence` are. */
  offsets: number[];
}

interface Row {
  epoch: string;
  sequence: string;
  offsets: string[] | null;
}

function toPosition(row: Row | undefined): StoredStreamPosition {
  if (!row) throw new Error('The table stream_head has lost its row.');
  return {
    epoch: Number(row.epoch),
    sequence: Number(row.sequence),
    offsets: (row.offsets ?? []).map(Number),
  };
}

/** The offsets of the batch that holds the change after sequence `s`, or of the last batch before it. */
const OFFSETS_AFTER = (s: string) => `(
  SELECT b.offsets FROM relay_batches b WHERE b.first_sequence <= ${s} + 1
  ORDER BY b.first_sequence DESC LIMIT 1)`;

/** The sequence of the newest committed change, whether it is relayed already or not. */
export async function loadStreamHead(pool: Pool): Promise<StoredStreamPosition> {
  const { rows } = await pool.query<Row>(
    `SELECT epoch, last_sequence AS sequence, ${OFFSETS_AFTER('last_sequence')} AS offsets FROM stream_head`,
  );
  return toPosition(rows[0]);
}

/** The position before the first change that occurred at or after a time; the head's where there is none yet. */
export async function loadPositionBefore(pool: Pool, time: Date): Promise<StoredStreamPosition> {
  const { rows } = await pool.query<Row>(
    `SELECT epoch, sequence, ${OFFSETS_AFTER('sequence')} AS offsets
     FROM (
       SELECT epoch, COALESCE(
         (SELECT sequence - 1 FROM change_log WHERE occurred_at >= $1 ORDER BY occurred_at, sequence LIMIT 1),
         last_sequence) AS sequence
       FROM stream_head) AS found`,
    [time],
  );
  return toPosition(rows[0]);
}

/** What a gateway needs to begin following the stream. */
export interface FeedStart {
  /** Where to begin reading: far enough back to fill memory, not so far that Kafka may have dropped it. */
  start: StoredStreamPosition;
  /** The newest sequence that Kafka is known to have; a gateway that has it has caught up. */
  target: number;
}

/**
 * @param since changes from batches before this time are not asked for.
 * @param preload about how many changes to begin before the newest.
 */
export async function loadFeedStart(pool: Pool, since: Date, preload: number): Promise<FeedStart> {
  const { rows } = await pool.query<Row & { target: string }>(
    `WITH relayed AS (
       SELECT COALESCE(max(last_sequence), 0) AS target FROM relay_batches WHERE acknowledged_at IS NOT NULL
     ), first AS (
       SELECT first_sequence, offsets FROM relay_batches, relayed
       WHERE created_at >= $1 AND last_sequence > target - $2
       ORDER BY first_sequence LIMIT 1)
     SELECT epoch, target, COALESCE((SELECT first_sequence - 1 FROM first), target) AS sequence,
       COALESCE((SELECT offsets FROM first), ${OFFSETS_AFTER('target')}) AS offsets
     FROM stream_head, relayed`,
    [since, preload],
  );
  const start = toPosition(rows[0]);
  return { start, target: Math.max(Number(rows[0]?.target), start.sequence) };
}
