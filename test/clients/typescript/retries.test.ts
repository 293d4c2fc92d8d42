import { expect, test } from '@jest/globals';
import { Patience } from '../../../clients/typescript/src/http/retries.ts';
import { usePassingTime } from '../../helpers/clients/passing-time.ts';

const time = usePassingTime();
const RETRY_MS = 100;

test('pauses without progress grow, and the first one after progress is as short as the service asks', async () => {
  const patience = new Patience({ path: '/v1/stream', onRetry: () => {}, retryMs: RETRY_MS });
  const pause = async () => {
    const begunAt = time.now;
    let isOver = false;
    const pausing = patience.pause().then(() => {
      isOver = true;
    });
    while (!isOver) await time.pass(RETRY_MS);
    await pausing;
    return time.now - begunAt;
  };
  for (let round = 0; round < 2; round += 1) {
    expect([await pause(), await pause(), await pause()]).toEqual([RETRY_MS, 1000, 2000]);
    patience.succeed();
  }
});
