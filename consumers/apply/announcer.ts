import type { Pool } from 'pg';
import { systemClock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { announceLeftovers } from '../../store/endorsements/announce-leftovers.ts';
import { hashLeftovers } from '../../store/endorsements/content-hashes.ts';

/** How often edits of the catalogue are looked for that were interrupted, in milliseconds. */
const LOOK_MS = 1000;

/**
 * Announces what an interrupted edit of the catalogue has left, until the signal aborts. An edit announces its changes
 * itself; its command may be killed in the middle. Hashes endorsements of earlier versions, too. Never rejects.
 */
export async function runAnnouncer(pool: Pool, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const announced = await announceLeftovers(pool, signal);
      if (announced) log.info({ announced }, 'announced the changes of an interrupted catalogue edit');
      const hashed = await hashLeftovers(pool, signal);
      if (hashed > 0) log.info({ hashed }, 'hashed the endorsements that an earlier version has written');
    } catch (error) {
      if (signal.aborted) return;
      const message =
        'changes of the catalogue could not be announced, or endorsements not be hashed; they wait in the database';
      reportFailure(log, error, { where: 'announcements', message });
    }
    await systemClock.wait(LOOK_MS, signal);
  }
}
