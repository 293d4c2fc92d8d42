/*
 * A database that was restored from a backup, while Kafka has announced more: no sequence may be given out again.
 */
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { startConsumers } from '../../consumers/consumers.ts';
import { createLog } from '../../service/log.ts';
import { useTestService } from '../helpers/service.ts';
import { endorse, withdraw } from '../helpers/submissions.ts';
import { until } from '../helpers/until.ts';

const service = useTestService();

/** Takes the database back to what it was after a change, as a restored backup would. */
async function restoreAfter(sequence: number): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('DELETE FROM endorsements');
  await client.query('DELETE FROM change_log WHERE sequence > $1', [sequence]);
  await client.query('DELETE FROM relay_batches WHERE last_sequence > $1', [sequence]);
  await client.query('UPDATE stream_head SET last_sequence = $1', [sequence]);
  await client.query('UPDATE consumer_positions SET next_offset = 0');
  await client.end();
}

/** Starts consumers that write their log into a list. */
async function startLogging() {
  const lines: string[] = [];
  const { databaseUrl, brokers, topicPrefix } = service;
  const consumers = await startConsumers(
    { databaseUrl, brokers, topicPrefix, roles: ['apply', 'relay'], retentionMs: 604_800_000 },
    { now: () => new Date(), log: createLog('consumers', 'error', { write: (line) => lines.push(line) }) },
  );
  return { consumers, lines };
}

test('INV-3: consumers refuse a database that lacks announced changes, and name the runbook', async () => {
  for (let round = 0; round < 4; round += 1) {
    await service.submit([
      endorse('bakers-local-1', 'mayor', 'ann'),
      withdraw('bakers-local-1', 'mayor', 'ann'),
    ]);
    await service.eventsOnceThereAre(2 * round + 2);
  }
  const before = await service.eventsOnceThereAre(8);
  await service.stopConsumers();
  await restoreAfter(2);

  const { consumers, lines } = await startLogging();
  const refusals = (role: string) => lines.filter((line) => line.includes(`${role} refuses to work`));
  await until('both roles refuse', () => refusals('apply').length > 0 && refusals('the relay').length > 0);
  expect(lines[0]).toContain('Kafka has announced change 8, but the database ends at change 2');
  expect(lines[0]).toContain('docs/operations.md');
  expect(consumers.isReady()).toBe(false);
  await consumers.stop();
  expect(await service.eventsOnceThereAre(8)).toEqual(before);
});
