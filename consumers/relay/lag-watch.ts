import type { Pool } from 'pg';
import { createAttempt } from '../../service/attempt.ts';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';
import { oldestUnrelayed, unrelayedChanges } from './metrics.ts';

/** The interval between two measurements, in milliseconds. */
const INTERVAL_MS = 2000;

/**
 * Measures how many changes Kafka lacks, apart from the relay's own work: neither a stand-by nor a relay that
 * waits for Kafka could measure this. The lag matters most when no relay works.
 */
export function watchRelayLag({ pool, clock, log }: { pool: Pool; clock: Clock; log: Logger }): Stoppable {
  const attempt = createAttempt(log, 'relay');
  return repeat(INTERVAL_MS, clock, () =>
    attempt('changes that wait for the relay cannot be counted; trying again', async () => {
      const { logged, relayed, oldestWaitedSeconds } = await loadRelayProgress(pool);
      unrelayedChanges.set(logged - relayed);
      oldestUnrelayed.set(oldestWaitedSeconds);
    }),
  );
}
