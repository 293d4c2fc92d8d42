import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { createAttempt } from '../../service/attempt.ts';
import { systemClock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { readVersion } from '../../service/version.ts';
import { createWorkPool } from '../connection/work-pool.ts';
import { type ProgramState, removeProcess, writeProcess } from './process-list.ts';

/** The interval between two beats of a process, in milliseconds. */
const BEAT_MS = 5000;
/** The interval while the process is not ready, so that a start is shown as ready once it is. */
const UNREADY_BEAT_MS = 500;
/** How long connecting and a statement may take, in milliseconds: stopping may wait for both. */
const TIMEOUT_MS = 2000;

export interface HeartbeatOptions {
  databaseUrl: string;
  /** The present state of the process. `obstacle` is the reason why it is not ready, or null. */
  describe: () => Promise<ProgramState & { obstacle: string | null }>;
  log: Logger;
  beatMs?: number;
}

/**
 * Writes a row about this process to the database every five seconds, more often while it is not ready, and deletes the
 * row when the process stops. Uses a connection of its own, so that other work does not delay it. A failure is logged
 * and has no other effect: after a minute without a write, the process is shown as gone.
 */
export function startHeartbeat({
  databaseUrl,
  describe,
  log,
  beatMs = BEAT_MS,
}: HeartbeatOptions): Stoppable {
  const me = { id: randomUUID(), host: os.hostname(), pid: process.pid, version: readVersion() };
  const startedAt = performance.now();
  // The next beat reports a lost connection that does not come back.
  const pool = createWorkPool(databaseUrl, 1, () => {}, {
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  let isWritten = false;
  const attempt = createAttempt(log, 'processes');
  /** Since when this process has not been ready; null while it is. */
  let notReadyAt: number | null = startedAt;
  const beat = async () => {
    isWritten = await attempt('the row about this process cannot be written; trying again', async () => {
      const described = await describe();
      const now = performance.now();
      notReadyAt = described.obstacle === null ? null : (notReadyAt ?? now);
      const notReadyMs = notReadyAt === null ? null : now - notReadyAt;
      await writeProcess(pool, { ...me, ...described, ageMs: now - startedAt, notReadyMs });
    });
  };
  const first = beat();
  const later = repeat(
    () => (notReadyAt === null ? beatMs : Math.min(beatMs, UNREADY_BEAT_MS)),
    systemClock,
    async () => {
      await first;
      await beat();
    },
  );
  return {
    async stop() {
      await Promise.all([first, later.stop()]);
      // A database that has just failed would only delay the stop.
      if (isWritten) {
        await attempt('the row about this process cannot be deleted; it expires', () =>
          removeProcess(pool, me.id),
        );
      }
      await pool.end();
    },
  };
}
