import { expect, test } from '@jest/globals';
import pg from 'pg';
import { startConsumers } from '../../consumers/consumers.ts';
import { createLog } from '../../service/log.ts';
import { type ListedProcess, listProcesses } from '../../store/processes/process-list.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createTestDatabase, useClient } from '../helpers/postgres/database.ts';
import { brokersOf } from '../helpers/servers/servers.ts';
import { useTestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const service = useTestService({ gateways: 2, consumersTogether: true });
const client = useClient(service.databaseUrl);

async function untilListed(what: string, condition: (listed: ListedProcess[]) => boolean): Promise<void> {
  await until(what, async () => condition(await listProcesses(client)));
}

const areReady = (listed: ListedProcess[]) => listed.every(({ state }) => state === 'ready');

test('gateways and consumers are listed with their state while they run', async () => {
  await untilListed('all are ready', (listed) => listed.length === 3 && areReady(listed));
  await untilListed('the consumers lead', (listed) =>
    listed.some((each) => each.program === 'consumers' && each.details.leads.length === 2),
  );
  const listed = await listProcesses(client);
  const ports = listed.flatMap((each) => (each.program === 'gateway' ? [each.details.port] : []));
  expect(ports.sort()).toEqual(service.gateways.map(({ port }) => port).sort());
  const consumers = listed.find(({ program }) => program === 'consumers');
  expect(consumers?.details).toEqual({ roles: ['apply', 'relay'], leads: ['apply', 'relay'] });

  const stream = await EventStreamClient.open(service.url('/v1/stream', 1), {
    Authorization: `Bearer ${service.key}`,
  });
  await untilListed('the stream is shown', (all) =>
    all.some(
      (each) =>
        each.program === 'gateway' &&
        each.details.port === service.gateways[1]?.port &&
        each.details.openStreams === 1 &&
        Object.values(each.details.unlimitedStreams ?? {}).join() === '1',
    ),
  );
  stream.close();

  await service.stopConsumers();
  await service.gateways[1]?.stop();
  expect((await listProcesses(client)).map(({ program }) => program)).toEqual(['gateway']);
  await service.startGateway(1);
  await service.untilReady();
});

test('consumers that are not ready give a reason', async () => {
  await service.startConsumers();
  await service.submit([endorse('nation-herald', 'mayor', 'ann')]);
  await service.eventsOnceThereAre(1);
  // All databases of a run begin with the same epoch, as a backup from before the first change does.
  const databaseUrl = await createTestDatabase();
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  const { topicPrefix } = service;
  const brokers = brokersOf('apply');
  const consumers = await startConsumers(
    { databaseUrl, brokers, topicPrefix, roles: ['apply'], retentionMs: 604_800_000 },
    { log: createLog('consumers', 'silent') },
  );
  const obstacles = async () => (await listProcesses(other)).map(({ state, obstacle }) => [state, obstacle]);
  await until('they are listed', async () => (await obstacles()).length === 1);
  expect(await obstacles()).toEqual([['not_ready', 'There was no success of apply in the last 10 seconds.']]);
  await until('they name the refusal', async () => {
    const [obstacle] = await obstacles();
    return obstacle?.[1]?.includes('Kafka has published change') ?? false;
  });
  await consumers.stop();
  expect(await obstacles()).toEqual([]);
  await other.end();
});
