import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  expectRealEndorsements,
  hasRealData,
  importRealCatalogue,
  submitRealEndorsements,
  titleOnRealData,
} from '../helpers/ballots/real-data.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

(hasRealData ? describe : describe.skip)(titleOnRealData('4,483 real endorsements'), () => {
  const service = useTestService({ catalogue: [], gateways: 2 });
  beforeAll(async () => {
    await importRealCatalogue(service);
    await submitRealEndorsements(service);
  });

  test('are each readable or rejected, and once on the stream, in the order of their endorser', async () => {
    await expectRealEndorsements(service);
  });

  test('make the same stream, byte for byte, on both gateways', async () => {
    const [first, second] = await Promise.all([
      service.events('from=earliest', 0),
      service.events('from=earliest', 1),
    ]);
    expect(JSON.stringify(second.data)).toBe(JSON.stringify(first.data));
    const rest = await service.events(`cursor=${first.data[2000]?.id}`, 1);
    expect(JSON.stringify(rest.data)).toBe(JSON.stringify(first.data.slice(2001)));
  });

  test('INV-9: submitted again, they make no event at all', async () => {
    const before = await service.events();
    await submitRealEndorsements(service);
    await untilApplied(2 * 4483);
    const after = await service.events();
    expect(after.data).toHaveLength(before.data.length);
    expect((await service.events(`cursor=${before.cursor}`)).data).toEqual([]);
  });

  /** Waits until this number of submissions has been applied or rejected. */
  async function untilApplied(count: number): Promise<void> {
    await withClient(service.databaseUrl, async (client) => {
      await until(`${count} applied submissions`, async () => {
        const { rows } = await client.query('SELECT sum(next_offset)::int AS applied FROM consumer_offsets');
        return rows[0].applied === count;
      });
    });
  }
});
