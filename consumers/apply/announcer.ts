import type { Pool } from 'pg';
import { systemClock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { announceLeftovers } from '../../store/endorsements/announce-leftovers.ts';
import { hashLeftovers } from '../../store/endorsements/content-hashes.ts';

/** The interval between two looks for interrupted edits of the catalogue, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Finishes interrupted edits of the catalogue until the signal aborts. An edit announces its changes itself,
 * but its command may be killed. Also hashes endorsements of earlier versions. Never rejects.
 */
export async function runAnnouncer(pool: Pool, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const announced = await announceLeftovers(pool, signal);
      if (announced) log.info({ announced }, 'announced the changes of an interrupted catalogue edit');
      const hashed = await hashLeftovers(pool, signal);
      if (hashed > 0) log.info({ hashed }, 'hashed the endorsements of an earlier version');
    } catch (error) {
      if (signal.aborted) return;
      const message =
        'catalogue changes could not be announced, or endorsements not hashed; they wait in the database';
      reportFailure(log, error, { where: 'announcements', message });
    }
    await systemClock.wait(LOOK_MS, signal);
  }
}
