import { afterEach, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { watchRelayLag } from '../../consumers/relay/lag-watch.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { ManualClock } from '../helpers/service/manual-clock.ts';
import { metricValue } from '../helpers/service/metrics.ts';

let watch: Stoppable | undefined;
afterEach(() => watch?.stop());

test('each outage of the database is reported once, and the last count stays until it is over', async () => {
  const clock = new ManualClock();
  const { log, lines } = captureLog('warn');
  let isAway = false;
  let logged = 3;
  const query = async () => {
    if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    return { rows: [{ logged, relayed: 1, waited: 5 }] };
  };
  watch = watchRelayLag({ pool: { query } as unknown as Pool, clock, log });
  for (let outages = 1; outages <= 2; outages += 1) {
    isAway = false;
    await clock.advance(2000);
    expect(await metricValue('changes_unrelayed')).toBe(logged - 1);
    isAway = true;
    logged += 1;
    await clock.advance(6000);
    expect(await metricValue('changes_unrelayed')).toBe(logged - 2);
    expect(lines).toHaveLength(outages);
  }
});
