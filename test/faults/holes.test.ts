import { describe, expect, test } from '@jest/globals';
import { filledChanges } from '../../feed/metrics.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { formatCursor, parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { useClient } from '../helpers/postgres/database.ts';
import { useTestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const runStream = createRunner('stream');

const PATIENCE_MS = 25_000;

let sent = 0;

// Little memory, so that old changes come from Kafka.
const service = useTestService({ gatewayConfig: { feedMemoryBytes: 20_000 } });
const database = useClient(service.databaseUrl);

async function stream(
  command: string,
  env: Record<string, string> = {},
): Promise<{ status: number; out: string[] }> {
  const io = createIo({ ...service.env(), ...env });
  return { status: await runToExit(runStream, [command], io), out: io.printed };
}

async function submit(count: number): Promise<void> {
  const endorsers = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
  const next = Array.from({ length: count }, () => {
    sent += 1;
    return endorse(endorsers[sent % 3] ?? '', 'mayor', 'ann', { statement: `Statement ${sent}.` });
  });
  await service.submit(next);
}

async function headSequence(): Promise<number> {
  const { rows } = await database.query<{ last: string }>('SELECT last_sequence AS last FROM stream_head');
  return Number(rows[0]?.last);
}

/** Makes changes that Kafka lacks, although the store has recorded its acknowledgement. */
async function loseChanges(count: number): Promise<{ from: number; to: number }> {
  await service.stopConsumers();
  const from = (await headSequence()) + 1;
  await service.startConsumers(['apply']);
  await submit(count);
  const to = from + count - 1;
  await until('the changes are applied', async () => (await headSequence()) === to);
  await database.query(
    `INSERT INTO relay_batches (first_sequence, last_sequence, offsets, acknowledged_at)
     SELECT $1, $2, offsets, now() FROM relay_batches ORDER BY first_sequence DESC LIMIT 1`,
    [from, to],
  );
  await service.stopConsumers();
  await service.startConsumers();
  return { from, to };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const sequencesOf = (events: { id: string }[]) => events.map(({ id }) => parseCursor(id).sequence);

describe('a hole of the changes topic', () => {
  test('INV-4: a cursor with wrong offsets does not count as a hole; it finds every later change in Kafka', async () => {
    await submit(30);
    const events = await service.eventsOnceThereAre(30);
    await service.restartGateway(0);
    await service.untilReady();
    const { value } = (await filledChanges.get()).values[0] ?? {};
    const { offsets, ...cursor } = parseCursor(events[4]?.id);
    const forged = formatCursor({ ...cursor, offsets: offsets.map((offset) => offset + 1_000_000) });
    expect((await service.events(`cursor=${forged}`)).data).toEqual(events.slice(5));
    expect((await filledChanges.get()).values[0]?.value).toBe(value);
  });

  test('INV-7: is filled from the change log, for live streams and replays, and for good by "stream repair"', async () => {
    const client = await EventStreamClient.open(service.url('/v1/stream?from=earliest'), {
      Authorization: `Bearer ${service.key}`,
    });
    const lost = await loseChanges(5);
    await submit(30);
    const events = await client.wait('endorsement', 65, PATIENCE_MS);
    client.close();
    expect(sequencesOf(events)).toEqual(numbers(1, 65));

    // The fault happened: Kafka lacks the changes.
    const before = await stream('check');
    expect([before.status, before.out]).toEqual([1, [`missing: ${lost.from} to ${lost.to}`]]);

    await service.restartGateway(0);
    await service.untilReady();
    const replayed = (await service.events()).data;
    expect(replayed).toEqual(events.map(({ data }) => data));

    const repaired = await stream('repair');
    expect([repaired.status, repaired.out]).toEqual([0, [`sent again: ${lost.from} to ${lost.to}`]]);
    expect(await stream('check')).toMatchObject({ status: 0, out: [] });
    await service.restartGateway(0);
    await service.untilReady();
    expect((await service.events()).data).toEqual(replayed);
  });

  test('INV-7: of exactly one change is filled too, between other changes and at the very end', async () => {
    const before = await headSequence();
    const client = await EventStreamClient.open(service.url('/v1/stream'), {
      Authorization: `Bearer ${service.key}`,
    });
    await client.wait('ready', 1);
    const between = await loseChanges(1);
    expect([between.from, between.to]).toEqual([before + 1, before + 1]);
    await submit(1);
    const live = await client.wait('endorsement', 2, PATIENCE_MS);
    expect(sequencesOf(live)).toEqual([before + 1, before + 2]);
    client.close();

    const atTheEnd = await loseChanges(1);
    await service.restartGateway(0);
    await service.untilReady();
    const { data } = await service.events(`cursor=${live.at(-1)?.id}`);
    expect(sequencesOf(data)).toEqual([atTheEnd.to]);
    expect((await stream('repair')).out).toEqual([
      `sent again: ${between.from}`,
      `sent again: ${atTheEnd.from}`,
    ]);
  });

  test('INV-7: Kafka loses everything, and the stream still loses nothing', async () => {
    const topic = topicNames(service.topicPrefix).changes;
    const { data: events } = await service.events();
    await withAdmin(service.brokers, async (admin) => {
      const ends = await admin.fetchTopicOffsets(topic);
      const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
      await admin.deleteTopicRecords({
        topic,
        partitions: partitions.filter(({ offset }) => offset !== '0'),
      });
    });
    expect((await stream('check')).status).toBe(1);
    // The change log keeps more than Kafka does, so that changes older than the window are not holes.
    const isWhole = async () => (await stream('check', { RETENTION_MS: '1000' })).status === 0;
    await until('every change is older than a window of a second', isWhole, PATIENCE_MS);
    await service.restartGateway(0);
    await service.untilReady();
    expect((await service.events()).data).toEqual(events);
    await submit(1);
    expect(await service.eventsOnceThereAre(events.length + 1)).toHaveLength(events.length + 1);
  });

  test('INV-7: that the change log lacks too gives 410 only for cursors before it', async () => {
    const { data: events } = await service.events();
    await database.query('DELETE FROM change_log WHERE sequence = 10');
    await service.restartGateway(0);
    await service.untilReady();
    const cursor = events[8]?.id;
    const { status, body } = await service.get(`/v1/events?cursor=${cursor}`);
    expect([status, body.error?.code]).toEqual([410, 'cursor_expired']);
    const client = await EventStreamClient.open(service.url(`/v1/stream?cursor=${events[5]?.id}`), {
      Authorization: `Bearer ${service.key}`,
    });
    const [error] = await client.wait('error', 1);
    expect(error?.data.code).toBe('cursor_expired');
    expect(client.of('endorsement').map(({ id }) => id)).toEqual(events.slice(6, 9).map(({ id }) => id));
    client.close();
    // Cursors after the hole are not affected.
    expect((await service.events(`cursor=${events[9]?.id}`)).data).toEqual(events.slice(10));
  });

  test('INV-7: ends live streams right before the lost change, and new streams continue after it', async () => {
    const following = await EventStreamClient.open(service.url('/v1/stream'), {
      Authorization: `Bearer ${service.key}`,
    });
    await following.wait('ready', 1);
    const lost = await loseChanges(3);
    await database.query('DELETE FROM change_log WHERE sequence BETWEEN $1 AND $2', [lost.from, lost.to]);
    await submit(2);
    const [told] = await following.wait('error', 1, PATIENCE_MS);
    expect(told?.data.code).toBe('cursor_expired');
    expect(parseCursor(told?.id ?? '').sequence).toBe(lost.from - 1);
    expect(following.of('endorsement')).toEqual([]);
    expect(await service.latestSequence()).toBe(lost.to + 2);
  });
});
