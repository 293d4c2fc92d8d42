/** The TypeScript client's event loops, through every possible end of a connection. */
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type ApiError,
  BallotEndorsements,
  CursorExpiredError,
  type Retry,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/index.ts';
import {
  answerError,
  answerJson,
  answerStream,
  breakOff,
  type FakeAnswer,
  FakeService,
  frame,
} from '../../helpers/clients/fake-service.ts';
import { useFastTime } from '../../helpers/clients/fast-time.ts';
import { until } from '../../helpers/until.ts';

useFastTime();

let service: FakeService;
let retries: Retry[];
afterEach(() => service.stop());

async function createClient(...answers: FakeAnswer[]): Promise<BallotEndorsements> {
  retries = [];
  service = await FakeService.start(...answers);
  const onRetry = (retry: Retry) => retries.push(retry);
  return new BallotEndorsements({ baseUrl: service.baseUrl, onRetry, timeoutMs: 50_000 });
}

const SOON = 'retry: 10\n\n';
const idOf = (number: number) => `0${number}.x`;
const eventOf = (number: number) => ({
  id: idOf(number),
  type: 'endorsement.created',
  endorsement: { id: number },
});
const change = (number: number) => frame('endorsement', idOf(number), eventOf(number));
const ready = (number: number) => `${SOON}${frame('ready', `0${number}_t.x`)}`;

/** Reads the first events of a loop, by the numbers of their endorsements. */
async function take(events: AsyncIterable<{ id?: string }>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id = 'checkpoint' } of events) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

/** Waits until the service has got a number of requests. @returns when each came, in milliseconds */
async function untilRequests(count: number): Promise<number[]> {
  const at: number[] = [];
  service.answers = service.answers.map((answer) => (response, request) => {
    at.push(performance.now());
    return answer(response, request);
  });
  await until(`${count} requests`, () => at.length >= count, 600_000);
  return at;
}

const lastEventIds = () => service.requests.map(({ headers }) => headers['last-event-id']);

describe('a stream', () => {
  test('connects again if a frame does not end', async () => {
    const client = await createClient(
      answerStream(`${ready(0)}${change(1)}data: ${'x'.repeat(17 * 1024 * 1024)}`),
      answerStream(change(2)),
    );
    expect(await take(client.stream(), 2)).toEqual([1, 2].map(idOf));
    expect(retries.map(({ error }) => (error as Error).message)).toEqual([
      'A frame of the stream has more than 16 MB: its end is lost.',
    ]);
  });

  test('continues after its last id when it is cut, with every event once', async () => {
    const client = await createClient(
      answerStream(ready(0) + change(1) + change(2), 'cut'),
      breakOff,
      answerStream(ready(2) + change(2) + change(3), 'end'),
      answerStream(ready(3) + change(4)),
    );
    expect(await take(client.stream({ states: ['CA'] }), 4)).toEqual([1, 2, 3, 4].map(idOf));
    expect(lastEventIds()).toEqual([undefined, idOf(2), idOf(2), idOf(3)]);
    expect(service.requests[0]?.query.toString()).toBe('states=CA');
    // The service's first frame asks for a wait of 10 ms, which holds after a failure too, as long as something new came.
    expect(retries[0]?.waitMs).toBeLessThanOrEqual(20);
  });

  test('drops an event that a cut has halved', async () => {
    const half = change(2).slice(0, -1);
    const client = await createClient(
      answerStream(ready(0) + change(1) + half, 'cut'),
      answerStream(ready(1) + change(2)),
    );
    expect(await take(client.stream(), 2)).toEqual([1, 2].map(idOf));
    expect(lastEventIds()).toEqual([undefined, idOf(1)]);
  });

  test('asks for all of its filter', async () => {
    const filter = {
      ...{
        subscription: 7,
        types: ['created', 'deleted'],
        categories: ['union'],
        contest_kinds: ['measure'],
      },
      ...{ elections: ['e'], endorser_states: ['OR'], endorsers: ['one'], levels: ['city'], states: ['CA'] },
    };
    const client = await createClient(answerStream(ready(0) + change(1)));
    await take(client.stream({ ...(filter as object) }), 1);
    const asked = Object.entries(filter).map(([name, value]) => [name, String(value)]);
    expect(Object.fromEntries(service.requests[0]?.query ?? [])).toEqual(Object.fromEntries(asked));
  });

  test('leaves a connection that the service has announced to end, even if it stays open', async () => {
    const ended = frame('reconnect', '01_t.x', { reason: 'lifetime', retry_ms: 10 });
    const client = await createClient(
      answerStream(ready(0) + change(1) + ended, 'silence'),
      answerStream(change(2)),
    );
    expect(await take(client.stream({ silenceMs: 20_000 }), 2)).toEqual([1, 2].map(idOf));
    expect(retries).toEqual([]);
    expect(lastEventIds()).toEqual([undefined, '01_t.x']);
  });

  test('ends before the next event if its loop closes it, and another loop continues there', async () => {
    const client = await createClient(answerStream(ready(0) + change(1) + change(2) + change(3)));
    const events = client.stream();
    const ids: string[] = [];
    for await (const { id } of events) {
      ids.push(id);
      events.close();
    }
    expect([ids, events.cursor]).toEqual([[idOf(1)], idOf(1)]);
    expect(await take(events, 2)).toEqual([2, 3].map(idOf));
  });

  test('asks for nothing if its signal has aborted before', async () => {
    const client = await createClient(answerStream(ready(0)));
    const reason = new Error('enough');
    await expect(take(client.stream({ signal: AbortSignal.abort(reason) }), 1)).rejects.toBe(reason);
    expect(service.requests).toEqual([]);
  });

  test('begins at the requested point, and never repeats it', async () => {
    const since = new Date('2026-10-01T00:00:00Z');
    const client = await createClient(
      answerError(503, 'warming_up', { 'Retry-After': '0' }),
      answerStream(ready(0), 'end'),
      answerStream(change(1)),
    );
    await take(client.stream({ since }), 1);
    const starts = service.requests.map(({ query, headers }) => [
      query.get('since'),
      headers['last-event-id'],
    ]);
    expect(starts).toEqual([
      [since.toISOString(), undefined],
      [since.toISOString(), undefined],
      [null, '00_t.x'],
    ]);
    // biome-ignore lint/suspicious/noExplicitAny: a program without types can do this.
    expect(() => client.stream({ cursor: idOf(1), from: 'latest' } as any)).toThrow(TypeError);
    // As a header, it would look like a network that fails.
    expect(() => client.stream({ cursor: 'ö…' })).toThrow(/^cursor is "ö…": it must be the text/);
  });

  test('waits as long as reconnect and Retry-After ask', async () => {
    const ended = frame('reconnect', '01_t.x', { reason: 'lifetime', retry_ms: 300 });
    const client = await createClient(
      answerStream(ready(0) + change(1) + ended, 'end'),
      answerError(429, 'too_many_streams', { 'Retry-After': '1' }),
      answerStream(change(2)),
    );
    const at: number[] = [];
    service.answers = service.answers.map((answer) => (response, request) => {
      at.push(performance.now());
      return answer(response, request);
    });
    await take(client.stream(), 2);
    const [first = 0, second = 0, third = 0] = at;
    expect(second - first).toBeGreaterThan(295);
    expect(third - second).toBeGreaterThan(995);
    // An announced end is not a failure.
    expect(retries).toHaveLength(1);
  });

  test.each(['cut', 'end'] as const)(
    'asks a service that names no wait at growing intervals: %s',
    async (end) => {
      const client = await createClient(answerStream(`retry: 0\n\n${frame('ready', '00_t.x')}`, end));
      const events = client.stream();
      const reading = take(events, 1);
      const [, second = 0, , fourth = 0] = await untilRequests(4);
      events.close();
      expect(await reading).toEqual([]);
      // Nothing before the second request, then 1 s and 2 s.
      expect(fourth - second).toBeGreaterThan(2900);
    },
  );

  test('waits longer each time that it is refused, and never shorter than Retry-After', async () => {
    const refused = answerError(429, 'too_many_streams', { 'Retry-After': '1' });
    const client = await createClient(refused, refused, answerStream(change(1)));
    await take(client.stream(), 1);
    const [first = 0, second = 0] = retries.map(({ waitMs }) => waitMs);
    expect([first >= 1000, second >= 2000]).toEqual([true, true]);
    expect(second).toBeLessThan(3000);
  });

  test('gives up a silent connection, and continues', async () => {
    const client = await createClient(answerStream(ready(0) + change(1)), answerStream(ready(1) + change(2)));
    expect(await take(client.stream({ silenceMs: 1000 }), 2)).toEqual([1, 2].map(idOf));
    expect(retries[0]?.error).toBeInstanceOf(TimeoutError);
  });

  test("does not count its consumer's busy time as silence", async () => {
    const client = await createClient((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(ready(0) + change(1));
      setTimeout(() => response.write(change(2)), 18_000);
    });
    for await (const { id } of client.stream({ silenceMs: 10_000 })) {
      if (id === idOf(2)) break;
      await new Promise((resolve) => setTimeout(resolve, 15_000));
    }
    expect(service.requests).toHaveLength(1);
  });

  test('ends with CursorExpiredError after 410, and after an error frame with that code', async () => {
    const client = await createClient(answerError(410, 'cursor_expired'));
    await expect(take(client.stream({ cursor: idOf(1) }), 1)).rejects.toThrow(CursorExpiredError);
    service.answers = [
      answerStream(ready(0) + change(1) + frame('error', idOf(1), { code: 'cursor_expired' })),
    ];
    const events = client.stream();
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of events) ids.push(id);
    };
    await expect(read()).rejects.toThrow(CursorExpiredError);
    expect(ids).toEqual([idOf(1)]);
  });

  test.each([
    [400, 'invalid_parameter'],
    [401, 'revoked_api_key'],
    [403, 'account_suspended'],
    [404, 'subscription_not_found'],
  ])('ends with ApiError after %i, as an answer and as a frame', async (status, code) => {
    const client = await createClient(answerError(status, code));
    await expect(take(client.stream(), 1)).rejects.toMatchObject({ name: 'ApiError', status, code });
    if (status === 400) return;
    service.answers = [answerStream(ready(0) + frame('error', '00_u.x', { code, message: 'Gone.' }), 'end')];
    await expect(take(client.stream(), 1)).rejects.toMatchObject({ status, code, message: 'Gone.' });
  });

  test('continues with the next key of a function when its own is refused, and ends when that is refused too', async () => {
    const refusal = frame('error', '00_u.x', { code: 'revoked_api_key' });
    await createClient(
      answerStream(ready(0) + change(1) + refusal, 'end'),
      answerStream(ready(1) + change(2) + refusal, 'end'),
      answerError(401, 'revoked_api_key'),
    );
    let made = 0;
    const renewing = new BallotEndorsements({ baseUrl: service.baseUrl, apiKey: () => `bes_${made++}` });
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of renewing.stream()) ids.push(id);
    };
    await expect(read()).rejects.toMatchObject({ status: 401, code: 'revoked_api_key' });
    expect(ids).toEqual([1, 2].map(idOf));
    const keys = service.requests.map(({ headers }) => headers.authorization);
    expect(keys).toEqual(['Bearer bes_0', 'Bearer bes_1', 'Bearer bes_2']);
  });

  test('ends at once when the first key of a function is refused', async () => {
    await createClient(answerError(401, 'invalid_api_key'));
    const renewing = new BallotEndorsements({ baseUrl: service.baseUrl, apiKey: () => 'bes_wrong' });
    await expect(take(renewing.stream(), 1)).rejects.toMatchObject({ status: 401 });
    expect(service.requests).toHaveLength(1);
  });

  test('continues after a temporary error frame, and after a defect', async () => {
    const client = await createClient(
      answerStream(ready(0) + frame('error', '00_u.x', { code: 'internal_error' }), 'end'),
      answerError(500, 'internal_error'),
      answerStream(ready(0) + change(1)),
    );
    expect(await take(client.stream(), 1)).toEqual([idOf(1)]);
    expect(retries.map(({ error }) => (error as ApiError).status)).toEqual([500, 500]);
  });

  test('ends at once if the address is wrong, and survives a strange answer later', async () => {
    const page: FakeAnswer = (response) => void response.end('<html>');
    const client = await createClient(page);
    await expect(take(client.stream(), 1)).rejects.toThrow(UnexpectedAnswerError);
    service.requests.length = 0;
    service.answers = [answerStream(ready(0), 'cut'), page, answerStream(change(1))];
    expect(await take(client.stream(), 1)).toEqual([idOf(1)]);
  });

  test('has the cursor after the processed events', async () => {
    const checkpoint = frame('checkpoint', '02_t.x', { scanned: 1 });
    const client = await createClient(answerStream(ready(0) + change(1) + checkpoint + change(3)));
    const events = client.stream();
    expect(events.cursor).toBeNull();
    const seen: (string | null)[] = [];
    for await (const _ of events) {
      seen.push(events.cursor);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['00_t.x', '02_t.x']);
    // The loop was left during the third change, so it comes again.
    service.answers = [answerStream(ready(2) + change(3) + change(4))];
    expect(await take(events, 2)).toEqual([3, 4].map(idOf));
    expect(lastEventIds()).toEqual([undefined, '02_t.x']);
  });

  test('yields checkpoints on request', async () => {
    const checkpoint = frame('checkpoint', '02_t.x', { scanned: 1 });
    const client = await createClient(answerStream(ready(0) + change(1) + checkpoint));
    const items: unknown[] = [];
    for await (const item of client.stream({ checkpoints: true })) {
      items.push(item.type === 'checkpoint' ? item.cursor : item.id);
      if (items.length === 3) break;
    }
    expect(items).toEqual(['00_t.x', idOf(1), '02_t.x']);
  });

  test('ends when it is closed or aborted, while it waits', async () => {
    const client = await createClient(answerStream(ready(0)));
    const events = client.stream();
    setTimeout(() => events.close(), 1000);
    expect(await take(events, 1)).toEqual([]);
    const reason = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 1000);
    await expect(take(client.stream({ signal: controller.signal }), 1)).rejects.toBe(reason);
  });

  test('cannot be read by two loops at once', async () => {
    const client = await createClient(answerStream(ready(0)));
    const events = client.stream();
    const first = take(events, 1);
    await expect(take(events, 1)).rejects.toThrow(TypeError);
    events.close();
    await first;
  });
});

describe('polled events', () => {
  const page = (numbers: number[], next: string, has_more = false) =>
    answerJson({ data: numbers.map(eventOf), next_cursor: next, has_more });

  test('continue after failures, with every event once, and wait only at the end', async () => {
    const client = await createClient(
      page([1, 2], '02_t.x', true),
      breakOff,
      page([3], '03_t.x'),
      answerError(503, 'warming_up', { 'Retry-After': '0' }),
      page([3, 4], '04_t.x'),
    );
    expect(await take(client.events({ from: 'earliest', endorsers: ['one'] }), 4)).toEqual(
      [1, 2, 3, 4].map(idOf),
    );
    expect(
      service.requests.map(({ query }) => [query.get('cursor') ?? query.get('from'), query.get('wait')]),
    ).toEqual([
      ['earliest', '0'],
      ['02_t.x', '0'],
      ['02_t.x', '0'],
      ['03_t.x', '25'],
      ['03_t.x', '25'],
    ]);
    expect(service.requests[0]?.query.get('endorsers')).toBe('one');
  });

  test('stop at the end of the stream if they do not follow it', async () => {
    const client = await createClient(page([1], '01_t.x', true), page([], '05_t.x'));
    const events = client.events({ cursor: '00_t.x', follow: false });
    expect(await take(events, 9)).toEqual([idOf(1)]);
    expect(events.cursor).toBe('05_t.x');
  });

  test('pause between requests while a gateway stops', async () => {
    const client = await createClient(
      page([], '00_t.x'),
      page([], '00_u.x'),
      page([], '00_v.x'),
      page([1], '01.y'),
    );
    const askedAt = performance.now();
    await take(client.events(), 1);
    expect(performance.now() - askedAt).toBeGreaterThan(900);
  });

  test.each([
    ['with more to come', true],
    ['without more', false],
  ])('ask a cache that repeats an answer %s once, and then at growing intervals', async (_, has_more) => {
    const client = await createClient(page([1], idOf(1), has_more));
    const events = client.events({ from: 'earliest' });
    const reading = take(events, 2);
    const [, second = 0, , , fifth = 0] = await untilRequests(5);
    events.close();
    expect(await reading).toEqual([idOf(1)]);
    // At one interval it would be 1,500 ms, and a late arrival of the second request shortens it.
    expect(fifth - second).toBeGreaterThan(1700);
  });

  test.each([
    { data: [], next_cursor: '01.x' },
    { data: [], has_more: false },
    { next_cursor: '01.x', has_more: false },
    { data: [], next_cursor: null, has_more: false },
  ])('that lack a part of their answer are an error: %j', async (body) => {
    const client = await createClient(answerJson(body));
    await expect(take(client.events(), 1)).rejects.toThrow(/has_more/);
    expect(service.requests).toHaveLength(1);
  });

  test('come as many at a time as the caller asks for, at most', async () => {
    const client = await createClient(page([1], idOf(1)));
    for (const limit of [undefined, 5]) await take(client.events({ from: 'earliest', limit }), 1);
    expect(service.requests.map(({ query }) => query.get('limit'))).toEqual(['500', '5']);
  });

  test('end with CursorExpiredError after 410', async () => {
    const client = await createClient(answerError(410, 'cursor_expired'));
    await expect(take(client.events({ cursor: idOf(1) }), 1)).rejects.toThrow(CursorExpiredError);
  });
});
