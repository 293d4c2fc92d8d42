/* A database restored from a backup, although Kafka has published more: no sequence may be used twice. */
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { startConsumers } from '../../consumers/consumers.ts';
import { createLog } from '../../service/log.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const service = useTestService();

const TABLES = ['endorsements', 'change_log', 'relay_batches', 'stream_head', 'consumer_offsets'];

async function query(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  for (const statement of ['BEGIN', ...statements, 'COMMIT']) await client.query(statement);
  await client.end();
}

/** Returns the database to its state after a change, as a restored backup would, and keeps the present state. */
async function restoreAfter(sequence: number): Promise<void> {
  await query(
    ...TABLES.map((table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`),
    'DELETE FROM endorsements',
    `DELETE FROM change_log WHERE sequence > ${sequence}`,
    `DELETE FROM relay_batches WHERE last_sequence > ${sequence}`,
    `UPDATE stream_head SET last_sequence = ${sequence}`,
    'UPDATE consumer_offsets SET next_offset = 0',
  );
}

/** Restores the state before the backup. */
async function undoRestore(): Promise<void> {
  await query(
    ...TABLES.flatMap((table) => [
      `DELETE FROM ${table}`,
      `INSERT INTO ${table} SELECT * FROM kept_${table}`,
    ]),
  );
}

/** Starts consumers that write their log into a list. */
async function startLogging() {
  const lines: string[] = [];
  const { databaseUrl, brokers, topicPrefix } = service;
  const consumers = await startConsumers(
    { databaseUrl, brokers, topicPrefix, roles: ['apply', 'relay'], retentionMs: 604_800_000 },
    { log: createLog('consumers', 'error', { write: (line) => lines.push(line) }) },
  );
  return { consumers, lines };
}

/** `ops stream check`. */
async function checkStream(): Promise<void> {
  await createRunner('stream')(['check'], createIo(service.env()));
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
  expect(lines[0]).toContain('Kafka has published change 8, but the database ends at change 2');
  expect(lines[0]).toContain('docs/operations/recovery.md');
  expect(consumers.isReady()).toBe(false);
  await consumers.stop();
  expect(lines.filter((line) => line.includes('refuses'))).toHaveLength(lines.length);

  // Gateways that followed the stream meanwhile refuse it too, and so do new ones.
  const isRefused = async () => (await service.get('/v1/events')).body.error?.code === 'server_busy';
  await until('the gateway refuses the stream', isRefused);
  const { error } = (await service.get('/readyz')).body;
  expect([error.code, error.message]).toEqual([
    'server_busy',
    expect.stringContaining('repaired the database'),
  ]);
  await service.restartGateway(0).catch(() => {});
  await until('the new gateway refuses it', isRefused);

  await expect(checkStream()).rejects.toThrow('the database ends at change 2');
  await undoRestore();
  await checkStream();
  await until('the gateway serves the stream again', async () => !(await isRefused()));
  expect(await service.eventsOnceThereAre(8)).toEqual(before);
});
