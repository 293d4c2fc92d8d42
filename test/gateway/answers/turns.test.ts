import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { FairQueue } from '../../../gateway/limits/fair-queue.ts';
import { useTestService } from '../../helpers/service/service.ts';

const RECOMMENDATIONS = '/v1/recommendations?election=ca-2026-11-03-general';
const DIGEST = '/v1/digest?states=CA';

const service = useTestService();
let run: jest.SpiedFunction<FairQueue['run']>;

beforeEach(() => {
  run = jest.spyOn(FairQueue.prototype, 'run');
});
afterEach(() => {
  run.mockRestore();
});

async function ask(path: string): Promise<void> {
  expect((await service.get(path)).status).toBe(200);
}

test('INV-15: a kept answer takes no turn', async () => {
  for (const path of [RECOMMENDATIONS, DIGEST]) await ask(path);
  expect(run).toHaveBeenCalledTimes(2);
  for (const path of [RECOMMENDATIONS, DIGEST]) await ask(path);
  expect(run).toHaveBeenCalledTimes(2);
});

test('INV-15: a digest does not take turns with recommendations', async () => {
  for (const path of [`${RECOMMENDATIONS}&lang=es`, `${DIGEST},OR`]) await ask(path);
  const [recommendations, digests] = run.mock.contexts;
  expect(recommendations).not.toBe(digests);
});

test('INV-15: a recommendation for a few contests takes no turn, one for many does', async () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join(',');
  await ask(`/v1/recommendations?contest=${named(20)}`);
  expect(run).not.toHaveBeenCalled();
  await ask(`/v1/recommendations?contest=${named(21)}`);
  expect(run).toHaveBeenCalledTimes(1);
});
