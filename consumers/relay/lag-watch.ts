import pg from 'pg';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { WATCHFUL_SESSION, watchSession } from '../../store/connection/session.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';
import { oldestUnrelayed, unrelayedChanges } from './metrics.ts';

/** How often the lag is measured, in milliseconds. */
const INTERVAL_MS = 2000;

/**
 * Measures how many changes Kafka lacks, on a connection of its own: a relay that waits for Kafka could not measure, nor
 * could a stand-by, and the lag must show most of all when no relay works.
 */
export function watchRelayLag({
  databaseUrl,
  clock,
  log,
}: {
  databaseUrl: string;
  clock: Clock;
  log: Logger;
}): Stoppable {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    ...WATCHFUL_SESSION,
    onConnect: watchSession,
  });
  // The query that needs the connection reports the error; without a listener the event would end the process.
  pool.on('error', () => {});
  let isFailing = false;
  const watching = repeat(INTERVAL_MS, clock, async () => {
    try {
      const client = await pool.connect();
      let failure: Error | undefined;
      try {
        const { logged, relayed, oldestWaitedSeconds } = await loadRelayProgress(client);
        unrelayedChanges.set(logged - relayed);
        oldestUnrelayed.set(oldestWaitedSeconds);
      } catch (error) {
        failure = error as Error;
        throw error;
      } finally {
        client.release(failure);
      }
      isFailing = false;
    } catch (error) {
      const message = 'the changes that wait for the relay cannot be counted; trying again';
      reportFailure(log, error, { where: 'relay', message, quiet: isFailing });
      isFailing = true;
    }
  });
  return {
    async stop() {
      await watching.stop();
      await pool.end();
    },
  };
}
