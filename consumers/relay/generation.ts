import type { ClientBase } from 'pg';
import { findReplacement } from '../../domain/generation.ts';
import { SupersededError } from '../../service/failure.ts';
import type { Logger } from '../../service/log.ts';
import { loadEpoch } from '../../store/stream/epoch.ts';
import {
  beginGeneration,
  type Generation,
  loadGeneration,
  loadKnownOffsets,
  nameLog,
} from '../../store/stream/generation.ts';
import { loadLastBatch } from '../../store/stream/relay-batches.ts';
import { streamGeneration } from './metrics.ts';

/** The present changes topic. */
export interface ChangesLog {
  topicId: string;
  /** The end of each partition. */
  ends: readonly number[];
}

/**
 * Decides whether the changes topic is the log of the stored offsets. If it was emptied, made anew or
 * replaced by a mirror, or if an operator asks for it, a new generation begins, which the relay must write.
 *
 * @param client the leader's connection
 */
export async function reconcileGeneration(
  client: ClientBase,
  seen: ChangesLog,
  log: Logger,
): Promise<Generation> {
  const known = await loadGeneration(client);
  const reason = findReplacement({ ...known, offsets: await loadKnownOffsets(client) }, seen);
  if (reason !== null || known.isRequested) {
    const { after } = await loadEpoch(client);
    const last = await loadLastBatch(client);
    const sent = Math.max(last?.lastSequence ?? 0, after);
    await client.query('BEGIN');
    await beginGeneration(client, { topicId: seen.topicId, after: sent, isComplete: sent === after });
    await client.query('COMMIT');
    log.warn(
      { topicId: seen.topicId, upTo: sent },
      reason === null
        ? 'an operator asked for a new generation of the stream'
        : `the changes topic has lost its records: ${reason}. A new generation of the stream begins. If the database ` +
            'was restored from a backup as well, follow "A restored Postgres" in docs/operations/recovery.md now',
    );
  } else if (known.topicId === null) {
    await nameLog(client, seen.topicId);
  }
  const generation = await loadGeneration(client);
  streamGeneration.set(generation.generation);
  return generation;
}

/** @throws SupersededError if the topic is no longer this generation's log, or an operator asked for another one */
export async function requireGeneration(
  client: ClientBase,
  { generation, topicId }: Generation,
  seenTopicId: string,
): Promise<void> {
  if (seenTopicId !== topicId) throw new SupersededError('The changes topic was made anew.');
  const now = await loadGeneration(client);
  if (now.generation !== generation || now.isRequested) {
    throw new SupersededError('An operator asked for another generation of the stream.');
  }
}
