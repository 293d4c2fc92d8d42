import { expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useClient } from '../helpers/postgres/database.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const runStream = createRunner('stream');

const PATIENCE_MS = 20_000;

const service = useTestService();
const database = useClient(service.databaseUrl);

const io = () => createIo(service.env());
const submit = (statement: string) =>
  service.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);

test('INV-4, INV-7: in a new epoch old cursors expire, new ones work, and no old event appears as a new one', async () => {
  await submit('Before.');
  const [before] = await service.eventsOnceThereAre(1);
  const { cursor: end } = await service.events();
  const client = await service.stream();
  const gateway = service.gateways[0];

  expect(await runStream(['new-epoch'], io())).toBe(0);
  await until('another gateway', () => service.gateways[0] !== gateway, PATIENCE_MS);
  await service.untilReady();
  await until('the end of the stream', () => client.ended, PATIENCE_MS);
  expect(client.of('reconnect').at(-1)?.data.reason).toBe('shutdown');

  for (const cursor of [before?.id, end, client.events.at(-1)?.id]) {
    const { status, body } = await service.get(`/v1/events?cursor=${cursor}`);
    expect([status, body.error?.code]).toEqual([410, 'cursor_expired']);
  }
  const { body: list } = await service.get('/v1/endorsements');
  expect(list.data.map((n: { statement: string }) => n.statement)).toEqual(['Before.']);
  expect((await service.events()).data).toEqual([]);

  await submit('After.');
  await until('the change', async () => (await service.latestSequence()) === 2);
  const { data } = await service.events(`cursor=${list.stream_cursor}`);
  expect(data).toMatchObject([{ type: 'endorsement.updated', endorsement: { statement: 'After.' } }]);
  expect((await service.events('from=earliest')).data).toEqual(data);
  expect(parseCursor(data[0]?.id).epoch).not.toBe(parseCursor(before?.id).epoch);
});

test('INV-3: on a database that is older than the epoch of the newest changes, a gateway is not ready', async () => {
  const gateway = service.gateways[0];
  await database.query('UPDATE stream_head SET epoch = epoch - 1');
  await until('another gateway', () => service.gateways[0] !== gateway, PATIENCE_MS);
  const answer = async () => {
    const { status, body } = await service.get('/readyz');
    return `${status} ${body.error?.message}`;
  };
  await until(
    'the conflict',
    async () => (await answer()).includes('until its operator has repaired the database'),
    PATIENCE_MS,
  );
  expect(await answer()).toMatch(/^503 /);
  expect((await service.get('/v1/events')).status).toBe(503);
  expect(await metricValue('stream_history_conflict')).toBe(1);

  const refusing = service.gateways[0];
  await database.query('UPDATE stream_head SET epoch = epoch + 1');
  await until('another gateway', () => service.gateways[0] !== refusing, PATIENCE_MS);
  await service.untilReady();
});
