import { beforeAll, describe, expect, test } from '@jest/globals';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import { endorse, withdraw } from '../../helpers/ballots/submissions.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { useStreams } from '../../helpers/stream/use-streams.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({
  gateways: 2,
  gatewayConfig: { streamHeartbeatMs: 200, feedMemoryBytes: 20_000 },
});
beforeAll(async () => {
  // More than the gateways keep in memory, so that the oldest changes are read from Kafka.
  const choices = ['ann', 'bob', 'cyd', 'dee'];
  const submissions = ['bakers-local-1', 'coast-gazette', 'nation-herald'].flatMap((by) =>
    choices.flatMap((key) => [
      endorse(by, 'council', key),
      endorse(by, 'council', key, { statement: `${by} on ${key}.\r\nUnicode: 🗳️ \u2028.` }),
    ]),
  );
  await service.submit([
    ...submissions,
    endorse('coast-gazette', 'prop-1', 'yes'),
    withdraw('bakers-local-1', 'council', 'dee'),
  ]);
  await service.eventsOnceThereAre(26);
});
const opened = useStreams();

const connect = (query: string, { gateway = 0, headers = {} } = {}) =>
  opened(service.stream(query, { gateway, headers }));

describe('GET /v1/stream', () => {
  test('begins with retry and ready, and has the headers that keep proxies from buffering it', async () => {
    const stream = await connect('');
    const [ready] = await stream.wait('ready', 1);
    expect(ready).toEqual({ id: expect.any(String), data: {} });
    expect(stream.events[0]?.event).toBe('ready');
    expect(stream.retryMs).toBeGreaterThanOrEqual(1000);
    expect(stream.retryMs).toBeLessThanOrEqual(5000);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  test.each(['text/event-stream; charset=utf-8', 'application/json'])(
    'begins for clients that accept %s',
    async (accept) => {
      const stream = await connect('', { headers: { Accept: accept } });
      expect(await stream.wait('ready', 1)).toHaveLength(1);
    },
  );

  test.each([
    ['gzip', 'gzip'],
    ['identity', null],
    ['br, zstd', null],
    ['gzip;q=0', null],
  ])('to a client that accepts %s is encoded as %p, and has the same events', async (accepted, encoding) => {
    const plain = await connect('from=earliest', { headers: { 'Accept-Encoding': 'identity' } });
    const stream = await connect('from=earliest', { headers: { 'Accept-Encoding': accepted } });
    expect(stream.response.headers.get('content-encoding')).toBe(encoding);
    expect(stream.response.headers.get('vary')).toContain('Accept-Encoding');
    expect(await stream.wait('endorsement', 26)).toEqual(await plain.wait('endorsement', 26));
  });

  test('without a start delivers only changes that follow', async () => {
    const stream = await connect('');
    await stream.wait('ready', 1);
    await service.submit([endorse('nation-herald', 'mayor', 'ann')]);
    const [event] = await stream.wait('endorsement', 1);
    expect(event?.data).toMatchObject({
      id: event?.id,
      type: 'endorsement.created',
      endorser: { slug: 'nation-herald', state: 'national' },
      choice: { label: 'ann' },
    });
    expect(stream.of('endorsement')).toHaveLength(1);
  });

  test('INV-3, INV-4: two gateways deliver the same ids and bytes in the same order, from memory and from Kafka', async () => {
    const streams = await Promise.all([connect('from=earliest'), connect('from=earliest', { gateway: 1 })]);
    const [first, second] = await Promise.all(streams.map((stream) => stream.wait('endorsement', 26)));
    const texts = streams.map((stream) =>
      stream.events.filter(({ event }) => event === 'endorsement').map(({ id, data }) => `${id} ${data}`),
    );
    expect(texts[0]?.slice(0, 26)).toEqual(texts[1]?.slice(0, 26));
    expect(first?.map(({ id }) => id)).toEqual(second?.map(({ id }) => id));
    const ids = first?.map(({ id }) => id) ?? [];
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('INV-4, INV-12: cut at any event, continues exactly there on the other gateway', async () => {
    const { data: all } = await service.events();
    const ids = all.map(({ id }) => id);
    for (const [index, id] of ids.entries()) {
      const { data: rest } = await service.events(`cursor=${id}`, index % 2);
      expect(rest.map((event) => event.id)).toEqual(ids.slice(index + 1));
    }
    const stream = await connect('', { gateway: 1, headers: { 'Last-Event-ID': ids[3] ?? '' } });
    const rest = await stream.wait('endorsement', ids.length - 4);
    expect(rest.map((event) => event.id)).toEqual(ids.slice(4));
  });

  test('filters combine with AND, their values with OR', async () => {
    const { data: all } = await service.events();
    const filtered = await service.events(
      'from=earliest&categories=newspaper&types=updated,deleted&states=OR',
    );
    const expected = all.filter(
      ({ endorser, type, election }) =>
        endorser.category.slug === 'newspaper' && type !== 'endorsement.created' && election.state === 'OR',
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(filtered.data).toEqual(expected);
  });

  test('a checkpoint moves the cursor past changes that did not match', async () => {
    const stream = await connect('levels=federal');
    const [ready] = await stream.wait('ready', 1);
    await service.submit([endorse('nation-herald', 'mayor', 'bob')]);
    const [checkpoint] = await stream.wait('checkpoint', 1);
    expect(checkpoint?.data).toEqual({ occurred_at: expect.stringMatching(/Z$/), scanned: 1 });
    expect(parseCursor(checkpoint?.id ?? '').sequence).toBe(parseCursor(ready?.id ?? '').sequence + 1);
    expect(stream.of('endorsement')).toEqual([]);
  });

  test('a silent stream gets pings and nothing else', async () => {
    const stream = await connect('levels=federal');
    await until('two pings', () => stream.comments.length >= 2);
    expect(stream.comments[0]?.trim()).toBe('ping');
    expect(stream.events.map(({ event }) => event)).toEqual(['ready']);
  });

  test('INV-1: every gateway shows a change that a client has seen', async () => {
    const stream = await connect('');
    await stream.wait('ready', 1);
    for (let round = 1; round <= 5; round += 1) {
      const statement = `Round ${round}.`;
      await service.submit([endorse('nation-herald', 'prop-1', 'no', { statement })]);
      const events = await stream.wait('endorsement', round);
      expect(events.at(-1)?.data.endorsement.statement).toBe(statement);
      for (const gateway of [0, 1]) {
        const query = '/v1/endorsements?endorsers=nation-herald&contest_kinds=measure';
        const { body } = await service.get(query, { gateway });
        expect(body.data.map((n: { statement: string }) => n.statement)).toEqual([statement]);
      }
    }
  });
});

describe('GET /v1/events', () => {
  test('answers with data, next_cursor and has_more, up to the end of the stream', async () => {
    const { status, body } = await service.get('/v1/events?from=earliest&limit=5');
    expect(status).toBe(200);
    expectSchema('/v1/events', body);
    expect(body.data).toHaveLength(5);
    expect(body.has_more).toBe(true);
    expect(body.next_cursor > body.data[4].id).toBe(true);
    expect(parseCursor(body.next_cursor)).toMatchObject({ sequence: parseCursor(body.data[4].id).sequence });
    const { cursor } = await service.events(`cursor=${body.next_cursor}`);
    const end = await service.get(`/v1/events?cursor=${cursor}`);
    expect(end.body).toEqual({ data: [], next_cursor: expect.any(String), has_more: false });
  });

  test('the cursor advances even without a match', async () => {
    const { cursor } = await service.events();
    await service.submit([endorse('coast-gazette', 'mayor', 'cyd')]);
    await until(
      'the change',
      async () => (await service.get(`/v1/events?cursor=${cursor}`)).body.data.length === 1,
    );
    const { body } = await service.get(`/v1/events?cursor=${cursor}&levels=federal`);
    expect(body.data).toEqual([]);
    expect(parseCursor(body.next_cursor).sequence).toBe(parseCursor(cursor).sequence + 1);
  });

  test('wait holds the request until a matching change arrives', async () => {
    const held = service.get('/v1/events?wait=20&endorsers=coast-gazette');
    await service.submit([
      endorse('nation-herald', 'mayor', 'cyd'),
      endorse('coast-gazette', 'mayor', 'dee'),
    ]);
    const { body } = await held;
    expect(body.data.map((event: { endorser: { slug: string } }) => event.endorser.slug)).toEqual([
      'coast-gazette',
    ]);
  });

  test('since begins with the first change at that time or later', async () => {
    const { data } = await service.events();
    const at = data[20]?.occurred_at;
    const since = await service.events(`since=${encodeURIComponent(at)}`);
    const expected = data.filter((event) => event.occurred_at >= at);
    expect(since.data.slice(0, expected.length)).toEqual(expected);
  });
});

describe('Last-Event-ID', () => {
  /** The parameters of the first request, which a browser repeats when it reconnects. */
  const repeated: [string, (first: string, time: string) => string][] = [
    ['cursor', (first) => `cursor=${first}`],
    ['since', (_, time) => `since=${time}`],
    ['from', () => 'from=earliest'],
    ['all three, which exclude each other', (first, time) => `cursor=${first}&since=${time}&from=earliest`],
  ];

  test.each(repeated)('wins over %s, on both routes', async (_, parameters) => {
    const { data: all } = await service.events();
    const query = parameters(all[0].id, encodeURIComponent(all[1].occurred_at));
    const headers = { 'Last-Event-ID': all.at(-3).id };
    const wanted = all.slice(-2).map(({ id }) => id);
    // Changes that other tests made may still follow.
    const firstIds = (events: { id: string }[]) => events.slice(0, 2).map(({ id }) => id);
    const page = await service.get(`/v1/events?${query}`, { headers });
    expect([page.status, firstIds(page.body.data ?? [])]).toEqual([200, wanted]);
    const stream = await connect(query, { headers });
    expect(firstIds(await stream.wait('endorsement', 2))).toEqual(wanted);
  });

  test('that is empty names no event, and the parameters count', async () => {
    const { data: all } = await service.events();
    const headers = { 'Last-Event-ID': '' };
    const { status, body } = await service.get(`/v1/events?cursor=${all[0].id}`, { headers });
    expect([status, body.data[0].id]).toEqual([200, all[1].id]);
  });

  test('that is invalid is refused, although the parameters are good', async () => {
    const headers = { 'Last-Event-ID': 'hello' };
    for (const path of ['/v1/events', '/v1/stream']) {
      const { status, body } = await service.get(`${path}?from=earliest`, { headers });
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
      expect(body.error.message).toContain('Last-Event-ID');
    }
  });
});

describe('an invalid start', () => {
  const good = { epoch: 1, sequence: 1, time: Date.now(), offsets: [0] };
  test.each([
    ['cursor=hello', 400, 'invalid_parameter', 'cursor is not a cursor of this service'],
    ['from=middle', 400, 'invalid_parameter', 'from must be latest or earliest, is "middle".'],
    ['since=yesterday', 400, 'invalid_parameter', 'since must be a time'],
    [
      'since=2100-01-01T00:00:00Z',
      400,
      'invalid_parameter',
      '"2100-01-01T00:00:00Z", and the service\'s time is 20',
    ],
    ['from=latest&since=2026-01-01T00:00:00Z', 400, 'invalid_parameter', 'since and from exclude each other'],
    ['endorsers=nobody', 400, 'invalid_parameter', 'no endorser has that slug'],
    ['wait=26', 400, 'invalid_parameter', 'wait must be a whole number from 0 to 25, is 26.'],
    ['limit=1001', 400, 'invalid_parameter', 'limit must be a whole number from 1 to 1000, is 1001.'],
    [`cursor=${formatCursor(good)}`, 410, 'cursor_expired', 'another service made the cursor. Catch up'],
  ])('%s is answered %i %s', async (query, status, code, message) => {
    const { status: actual, body } = await service.get(`/v1/events?${query}`);
    expect([actual, body.error.code]).toEqual([status, code]);
    expect(body.error.message).toContain(message);
  });

  test('INV-5: a cursor older than retention is answered 410 by its own time, before any byte of the stream', async () => {
    const { cursor } = await service.events();
    const { epoch, ...parsed } = parseCursor(cursor);
    const week = 7 * 24 * 60 * 60 * 1000;
    const old = formatCursor({ epoch, ...parsed, time: Date.now() - week - 1000 });
    const young = formatCursor({ epoch, ...parsed, time: Date.now() - week + 60_000 });
    const refused = await connect(`cursor=${old}`);
    expect(refused.response.status).toBe(410);
    expect(await refused.response.json()).toMatchObject({ error: { code: 'cursor_expired' } });
    expect((await connect(`cursor=${young}`)).response.status).toBe(200);
  });

  test('a cursor beyond the newest change is refused instead of waiting silently', async () => {
    const parsed = parseCursor((await service.events()).cursor);
    const ahead = formatCursor({ ...parsed, sequence: parsed.sequence + 1_000_000 });
    const { status, body } = await service.get(`/v1/events?cursor=${ahead}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain('beyond the newest change');
  });

  test('INV-4: a cursor of an existing change is valid, even if its time is far ahead', async () => {
    const all = await service.events();
    const parsed = parseCursor(all.data.at(-2).id);
    const ahead = formatCursor({ ...parsed, time: Date.now() + 10 * 60_000 });
    const { status, body } = await service.get(`/v1/events?cursor=${ahead}`);
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([all.data.at(-1).id]);
  });
});
