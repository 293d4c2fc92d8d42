import type { ClientBase } from 'pg';
import type { ChangesProducer } from '../../kafka/writing/changes-producer.ts';
import type { Logger } from '../../service/log.ts';
import {
  beginRun,
  completeGeneration,
  type Generation,
  loadRebuildStart,
  loadSentChanges,
} from '../../store/stream/generation.ts';
import { rebuiltChanges } from './metrics.ts';

/** The most changes to write together. The beginning of each run is recorded. */
const RUN_CHANGES = 1000;
/** The interval between two log lines on the progress, in milliseconds. */
const REPORT_INTERVAL_MS = 10_000;

interface RebuildOptions {
  /** The leader's connection. */
  client: ClientBase;
  producer: ChangesProducer;
  generation: Generation;
  signal: AbortSignal;
  /** Called after each run. */
  succeeded: () => Promise<void>;
  log: Logger;
}

/**
 * Writes every change that was first sent to an earlier log into the present one, in order and with the same
 * ids and bytes (INV-3). New changes wait meanwhile, so that the last record of a key stays its newest.
 * Continues after an interrupted attempt. Does nothing if the generation is complete.
 */
export async function rebuildWindow(options: RebuildOptions): Promise<void> {
  const { client, producer, generation, signal, succeeded, log } = options;
  if (generation.isComplete) return;
  const startedAt = performance.now();
  let reportedAt = startedAt;
  let next = (await loadRebuildStart(client)) ?? generation.after + 1;
  const left = () => Math.max(0, generation.after - next + 1);
  log.info({ generation: generation.generation, changes: left() }, 'writing the window again');
  let written = 0;
  while (next <= generation.after && !signal.aborted) {
    const changes = await loadSentChanges(client, { from: next, to: generation.after, limit: RUN_CHANGES });
    const last = changes.at(-1)?.sequence ?? generation.after;
    const offsets = await producer.fetchEndOffsets();
    await beginRun(client, generation.generation, { first: next, last, offsets });
    await producer.send(changes);
    await succeeded();
    written += changes.length;
    rebuiltChanges.inc(changes.length);
    next = last + 1;
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) continue;
    reportedAt = performance.now();
    log.info({ written, left: left() }, 'writing the window again');
  }
  if (signal.aborted) return;
  await completeGeneration(client, generation.generation);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  log.info({ written, seconds }, 'the window is written again; new changes continue');
}
