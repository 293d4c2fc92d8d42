import { beforeAll, expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const FILTERS = ['', '&types=created', '&endorsers=coast-gazette', '&levels=federal'];

// Little memory, so that some pages come from Kafka; streams that end by themselves, so that reconnect is seen too.
const service = useTestService({
  gateways: 2,
  gatewayConfig: { streamHeartbeatMs: 100, streamLifetimeMs: 1000, feedMemoryBytes: 8000 },
});
beforeAll(async () => {
  await submit(60, 'First');
  await service.eventsOnceThereAre(60);
});

async function submit(count: number, name: string): Promise<void> {
  const endorsers = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
  const statements = Array.from({ length: count }, (_, index) => `${name} ${index}.`);
  await service.submit(
    statements.map((statement, index) => endorse(endorsers[index % 3] ?? '', 'mayor', 'ann', { statement })),
  );
}

/** Expects that the ids, in the order in which a client received them, never go back. */
function expectNeverBelow(ids: string[]): void {
  for (const [index, id] of ids.entries()) expect(id >= (ids[index - 1] ?? '')).toBe(true);
}

/** Reads pages on both gateways in turn up to the end of the stream, and three more. @returns all ids in order */
async function readPages(query: string): Promise<string[]> {
  const ids: string[] = [];
  let start = 'from=earliest';
  for (let page = 0, extra = 0; extra < 3; page += 1) {
    const { status, body } = await service.get(`/v1/events?${start}${query}`, { gateway: page % 2 });
    expect(status).toBe(200);
    ids.push(...body.data.map(({ id }: { id: string }) => id), body.next_cursor);
    start = `cursor=${body.next_cursor}`;
    if (!body.has_more) extra += 1;
  }
  return ids;
}

/** Follows the stream through reconnections, on both gateways in turn. @returns the ids of all frames in order */
async function follow(query: string, { from, connections }: { from: string; connections: number }) {
  const frames: { event: string; id: string }[] = [];
  for (let connection = 0; connection < connections; connection += 1) {
    const stream = await service.stream(query, {
      gateway: connection % 2,
      headers: { 'Last-Event-ID': frames.at(-1)?.id ?? from },
    });
    await until('the end of the connection', () => stream.ended);
    frames.push(...stream.events.map(({ event = '', id = '' }) => ({ event, id })));
  }
  return frames;
}

test.each(FILTERS)('next_cursor is never below any id before it, on any gateway: %s', async (filter) => {
  for (const page of ['limit=1', 'limit=7', 'limit=60', 'limit=1000&wait=1']) {
    expectNeverBelow(await readPages(`${filter}&${page}`));
  }
});

test('a stream that is behind, live or silent never gets an id below one before it, through reconnections', async () => {
  const { data } = await service.events();
  const start = data[5].id;
  const following = Promise.all(FILTERS.map((query) => follow(query, { from: start, connections: 4 })));
  for (const round of [1, 2, 3]) {
    await submit(10, `Round ${round},`);
    const last = data.length + 10 * round;
    await until('the changes', async () => (await service.latestSequence()) >= last);
  }
  const all = await following;
  for (const frames of all) expectNeverBelow([start, ...frames.map(({ id }) => id)]);
  const kinds = new Set(all.flat().map(({ event }) => event));
  expect(kinds).toEqual(new Set(['ready', 'endorsement', 'checkpoint', 'reconnect']));
});

test('no cursor is below the id of the event that it follows, in any kind of answer', async () => {
  const cursors: string[] = [];
  for (const start of ['from=earliest', 'from=latest']) {
    for (const filter of FILTERS) {
      const { body } = await service.get(`/v1/events?${start}${filter}&limit=20`);
      cursors.push(body.next_cursor);
    }
  }
  const { body } = await service.get('/v1/endorsements');
  cursors.push(body.stream_cursor);
  const { data } = await service.events();
  const since = await service.get(`/v1/events?since=${data[30].occurred_at}&levels=federal&limit=1`);
  cursors.push(since.body.next_cursor);
  for (const cursor of cursors) {
    const { sequence } = parseCursor(cursor);
    expect(cursor > data[sequence - 1].id).toBe(true);
    if (data[sequence]) expect(cursor < data[sequence].id).toBe(true);
  }
});
