import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { FairQueue } from '../../../gateway/limits/fair-queue.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

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

test('INV-15: a recommendation for a few contests takes its turn with other reads, one for many does not', async () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join(',');
  await ask(`/v1/recommendations?contest=${named(20)}`);
  await ask('/v1/states');
  await ask(`/v1/recommendations?contest=${named(21)}`);
  const [few, other, many] = run.mock.contexts;
  expect([few === other, few === many]).toEqual([true, false]);
});

test("INV-15: an account's many lists at once hold up neither another account nor its people", async () => {
  const get = async (path: string, key: string) =>
    (await service.get(path, { headers: { Authorization: `Bearer ${key}` } })).status;
  const [busy, other] = await Promise.all(
    ['busy', 'other'].map((account) => service.createKey(account, 'partner')),
  );
  const person = await ConsoleClient.signIn(service, { account: 'busy' });
  const blocker = new pg.Client({ connectionString: service.databaseUrl });
  await blocker.connect();
  // Every list waits for this lock.
  await blocker.query('BEGIN');
  await blocker.query('LOCK TABLE endorsements');
  const lists = Array.from({ length: 60 }, (_, index) =>
    get(`/v1/endorsements?limit=${1 + index}`, busy ?? ''),
  );
  await until('lists wait', async () => {
    const [row] = await service.query('SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted');
    return Number(row?.waiting) >= 10;
  });
  expect(await get('/v1/endorser-categories', other ?? '')).toBe(200);
  expect((await person.get('/console/api/v1/endorser-categories?lang=es')).status).toBe(200);
  await blocker.end();
  expect(await Promise.all(lists)).toEqual(lists.map(() => 200));
});
