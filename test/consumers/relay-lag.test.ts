import { afterAll, expect, test } from '@jest/globals';
import { startConsumers } from '../../consumers/consumers.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { plaintextBrokers } from '../../service/brokers.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useClient } from '../helpers/postgres/database.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const service = useTestService({ partitions: 2 });
const database = useClient(service.databaseUrl);
let relay: Stoppable | undefined;
afterAll(() => relay?.stop());

const unrelayed = () => metricValue('changes_unrelayed');
const oldestSeconds = () => metricValue('changes_oldest_unrelayed_seconds');

test('the changes that wait for Kafka are counted while it is away, and no relay can lead', async () => {
  await service.stopConsumers();
  await service.startConsumers(['apply']);
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann'), endorse('coast-gazette', 'mayor', 'bob')]);
  const head = async () =>
    Number((await database.query('SELECT last_sequence FROM stream_head')).rows[0]?.last_sequence);
  await until('the changes', async () => (await head()) === 2);

  const { databaseUrl, topicPrefix } = service;
  const { log, lines } = captureLog('warn');
  const brokers = plaintextBrokers([`127.0.0.1:${await findFreePort()}`]);
  relay = await startConsumers(
    { databaseUrl, brokers, topicPrefix, roles: ['relay'], retentionMs: WEEK_MS },
    { log },
  );
  await until('they are counted', async () => (await unrelayed()) === 2);
  const before = await oldestSeconds();
  expect(before).toBeGreaterThan(0);
  await until('they wait longer', async () => (await oldestSeconds()) > before + 1);
  // The fault happened, and does not count as a defect.
  await until('the warning', () => lines.some(({ msg }) => msg.includes('(Kafka does not answer)')));
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);

  await relay.stop();
  relay = undefined;
  await service.stopConsumers();
  await service.startConsumers();
  await service.eventsOnceThereAre(2);
  await until('none waits', async () => (await unrelayed()) === 0 && (await oldestSeconds()) === 0);
});
