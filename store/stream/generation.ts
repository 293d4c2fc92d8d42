import type { ClientBase } from 'pg';
import { SupersededError } from '../../service/failure.ts';
import { onlyRow } from '../connection/only-row.ts';
import { type SentChange, type SentRow, sentChange } from './sent-change.ts';
import { BYTES_BEFORE, MAX_BODY_BYTES, STORED_BODY } from './stored-body.ts';

/** A Kafka log that holds the stream. Another log with the same events is another generation. */
export interface Generation {
  generation: number;
  /** Kafka's id of the changes topic; null until the relay has seen it. */
  topicId: string | null;
  /** The last sequence first sent to an earlier log. */
  after: number;
  /** Whether this log again has all changes up to that sequence. */
  isComplete: boolean;
  /** Whether an operator has asked for another generation. */
  isRequested: boolean;
}

/** The present generation. */
export async function loadGeneration(client: ClientBase): Promise<Generation> {
  const found = await client.query<Generation>(
    `SELECT generation::float8 AS generation, topic_id AS "topicId", after_sequence::float8 AS after,
       is_complete AS "isComplete", is_requested AS "isRequested"
     FROM stream_generation`,
  );
  return onlyRow(found, 'stream_generation');
}

/** The newest stored offsets of the present log, by partition; may be empty. */
export async function loadKnownOffsets(client: ClientBase): Promise<number[]> {
  const { rows } = await client.query<{ offsets: number[] }>(
    `SELECT COALESCE(
       (SELECT b.offsets FROM relay_batches b WHERE b.first_sequence > g.after_sequence
        ORDER BY b.first_sequence DESC LIMIT 1),
       (SELECT r.offsets FROM rebuilt_runs r ORDER BY r.first_sequence DESC LIMIT 1), '{}')::float8[] AS offsets
     FROM stream_generation g`,
  );
  return rows[0]?.offsets ?? [];
}

/** Stores the id of the changes topic as that of the present log. */
export async function nameLog(client: ClientBase, topicId: string): Promise<void> {
  await client.query('UPDATE stream_generation SET topic_id = $1', [topicId]);
}

/** The relay's progress in writing the present log. */
export interface RebuildProgress extends Generation {
  /** The sequence of the first change that was written. */
  first: number;
  /** The sequence of the last written change; below `first` before any. */
  written: number;
}

/** Loads the progress of the present log. */
export async function loadRebuildProgress(client: ClientBase): Promise<RebuildProgress> {
  const generation = await loadGeneration(client);
  const { rows } = await client.query<{ first: number | null; written: number | null }>(
    'SELECT min(first_sequence)::float8 AS first, max(last_sequence)::float8 AS written FROM rebuilt_runs',
  );
  const first = rows[0]?.first ?? generation.after + 1;
  return { ...generation, first, written: rows[0]?.written ?? first - 1 };
}

/** Asks the relay to begin another generation. */
export async function requestGeneration(client: ClientBase): Promise<void> {
  await client.query('UPDATE stream_generation SET is_requested = true');
}

/**
 * Begins a generation, within the caller's transaction: the relay must write the changes topic with this id
 * from the change log. Only the relay's leader may call this, and `ops stream new-epoch`, after which there
 * is nothing to write.
 *
 * @param after the last sequence that was sent to an earlier log
 * @param isComplete whether there is nothing to write
 */
export async function beginGeneration(
  client: ClientBase,
  { topicId, after, isComplete }: Pick<Generation, 'topicId' | 'after' | 'isComplete'>,
): Promise<void> {
  await client.query('DELETE FROM rebuilt_runs');
  await client.query(
    `UPDATE stream_generation SET generation = generation + 1, topic_id = $1, after_sequence = $2, is_complete = $3,
       is_requested = false, began_at = clock_timestamp()`,
    [topicId, after, isComplete],
  );
}

/**
 * Where the rebuild begins or continues: with the last run that was begun, which may not have arrived whole.
 *
 * @returns the first sequence to write; null if the change log has none of this epoch
 */
export async function loadRebuildStart(client: ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ first: number | null }>(
    `SELECT COALESCE(
       (SELECT first_sequence FROM rebuilt_runs ORDER BY first_sequence DESC LIMIT 1),
       (SELECT min(sequence) FROM change_log WHERE sequence > (SELECT epoch_after FROM stream_head)))::float8 AS first`,
  );
  return rows[0]?.first ?? null;
}

/**
 * The first changes with sequences `from` to `to`, both included, as they were first sent: at most `limit`, and fewer if
 * their bodies have more than `MAX_BODY_BYTES`.
 */
export async function loadSentChanges(
  client: ClientBase,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<SentChange[]> {
  const { rows } = await client.query<Omit<SentRow, 'occurredAt'> & { occurredAt: string }>(
    `SELECT c.sequence::float8 AS sequence, (extract(epoch FROM c.occurred_at) * 1000)::bigint AS "occurredAt", c.type,
       c.endorser, ${STORED_BODY}, h.epoch::float8 AS epoch, b.offsets::float8[] AS offsets
     FROM stream_head h, (
       SELECT *, ${BYTES_BEFORE} FROM (
         SELECT * FROM change_log WHERE sequence BETWEEN $1 AND $2 ORDER BY sequence LIMIT $3) AS first) c, LATERAL (
       SELECT offsets FROM relay_batches WHERE first_sequence <= c.sequence
       ORDER BY first_sequence DESC LIMIT 1) b
     WHERE c.bytes_before < ${MAX_BODY_BYTES} ORDER BY c.sequence`,
    [from, to, limit],
  );
  return rows.map((row) => sentChange({ ...row, occurredAt: Number(row.occurredAt) }));
}

/**
 * Records where a run begins in the present log, before it is first written there. A run recorded earlier
 * keeps its offsets.
 *
 * @throws SupersededError if another generation has begun
 */
export async function beginRun(
  client: ClientBase,
  generation: number,
  run: { first: number; last: number; offsets: readonly number[] },
): Promise<void> {
  const { rowCount } = await client.query(
    `INSERT INTO rebuilt_runs (first_sequence, last_sequence, offsets)
     SELECT $1, $2, $3 FROM stream_generation WHERE generation = $4
     ON CONFLICT (first_sequence) DO UPDATE SET last_sequence = excluded.last_sequence`,
    [run.first, run.last, run.offsets, generation],
  );
  if (rowCount === 0) throw new SupersededError(`Generation ${generation} of the stream has ended.`);
}

/** Records that the present log has every change of earlier logs. */
export async function completeGeneration(client: ClientBase, generation: number): Promise<void> {
  await client.query(
    `WITH completed AS (
       UPDATE stream_generation SET is_complete = true WHERE generation = $1 RETURNING after_sequence)
     UPDATE relay_batches SET acknowledged_at = clock_timestamp()
     WHERE acknowledged_at IS NULL AND first_sequence <= (SELECT after_sequence FROM completed)`,
    [generation],
  );
}
