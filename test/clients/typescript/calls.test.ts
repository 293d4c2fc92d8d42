/** The TypeScript client's requests and retries. */
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  ApiError,
  BallotEndorsements,
  type ClientOptions,
  NetworkError,
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

useFastTime();

let service: FakeService;
let retries: Retry[];
afterEach(() => service.stop());

/** A client of a service with these answers. */
async function createClient(
  answers: FakeAnswer[],
  options: Partial<ClientOptions> = {},
): Promise<BallotEndorsements> {
  retries = [];
  service = await FakeService.start(...answers);
  const onRetry = (retry: Retry) => retries.push(retry);
  return new BallotEndorsements({ baseUrl: service.baseUrl, apiKey: 'bes_key', onRetry, ...options });
}

const subscription = { id: 1, name: 'mine', filter: {}, created_at: '', updated_at: '' };
const never: FakeAnswer = () => {};

describe('a request', () => {
  test('has the key, and lists with commas', async () => {
    const client = await createClient([answerJson({ data: [], next_cursor: null })]);
    await client.listContests({ states: ['CA', 'OR'], upcoming: true, limit: 5, levels: undefined });
    const [{ headers, path, query } = { headers: {}, path: '', query: null }] = service.requests;
    expect(headers.authorization).toBe('Bearer bes_key');
    expect(path).toBe('/v1/contests');
    expect(Object.fromEntries(query ?? [])).toEqual({ states: 'CA,OR', upcoming: 'true', limit: '5' });
  });

  test('asks for the key each time if it is a function, so that keys can be rotated', async () => {
    let made = 0;
    const client = await createClient([answerJson({ data: [] })], { apiKey: async () => `bes_${made++}` });
    await client.listStates();
    await client.listStates();
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer bes_0',
      'Bearer bes_1',
    ]);
  });

  test.each(['', '/', '//'])(
    'goes below baseUrl with "%s" at its end, and asks for no kept JSON',
    async (end) => {
      const asked: [string, RequestInit | undefined][] = [];
      const fetch: typeof globalThis.fetch = async (address, init) => {
        asked.push([String(address), init]);
        return Response.json({ data: subscription });
      };
      const client = await createClient([never], { baseUrl: `https://ballot.example/api${end}`, fetch });
      await client.getSubscription(1);
      await client.replaceSubscription(1, { name: 'mine' });
      expect(asked.map(([address]) => address)).toEqual(
        Array(2).fill('https://ballot.example/api/v1/subscriptions/1'),
      );
      const headers = { Accept: 'application/json', Authorization: 'Bearer bes_key' };
      expect(asked.map(([, init]) => [init?.cache, init?.headers])).toEqual([
        ['no-store', headers],
        ['no-store', { ...headers, 'Content-Type': 'application/json' }],
      ]);
    },
  );

  test('has false, 0 and each character of a name as they are', async () => {
    const client = await createClient([
      answerJson({ data: [], next_cursor: null }),
      answerJson({ data: {} }),
    ]);
    await client.listContests({ upcoming: false, limit: 0 });
    await client.getEndorser('a/b?c d');
    expect(service.requests.map(({ path, query }) => [path, Object.fromEntries(query)])).toEqual([
      ['/v1/contests', { upcoming: 'false', limit: '0' }],
      ['/v1/endorsers/a%2Fb%3Fc%20d', {}],
    ]);
  });

  test('is refused if its meaning would change', async () => {
    const client = await createClient([answerJson({ data: [], next_cursor: null })]);
    await expect(client.listContests({ states: [] })).rejects.toThrow(/states is an empty list/);
    await expect(client.listEndorsers({ categories: ['a,b'] })).rejects.toThrow(/"a,b"/);
    await expect(client.listEndorsers({ categories: [''] })).rejects.toThrow(TypeError);
    await expect(client.listContests({ limit: Number.NaN })).rejects.toThrow(TypeError);
    // biome-ignore lint/suspicious/noExplicitAny: a program without types can do this.
    for (const wrong of [{ states: null }, { states: [null] }, { limit: 2 ** 53 }] as any[]) {
      await expect(client.listContests(wrong)).rejects.toThrow(TypeError);
    }
    await expect(client.getContest(1.5)).rejects.toThrow(
      new TypeError('id must be a whole number; it is 1.5.'),
    );
    await expect(client.getEndorser('..')).rejects.toThrow(new TypeError('slug must be a text; it is "..".'));
    await expect(client.getEndorser('')).rejects.toThrow(TypeError);
    expect(service.requests).toEqual([]);
  });

  test('is refused with a key that is invalid in a header, and with an invalid address', async () => {
    for (const apiKey of ['bes_\n', '', 'bes key']) {
      const client = await createClient([answerJson({ data: [] })], { apiKey });
      await expect(client.listStates()).rejects.toThrow(TypeError);
      expect(service.requests).toEqual([]);
      await service.stop();
    }
    await createClient([never]);
    const addresses = ['localhost:8080', 'ftp://ballot.example', '//ballot.example', 'http:ballot.example'];
    for (const baseUrl of [...addresses, 'http://a/?b=c', 'http://a/#b']) {
      expect(() => new BallotEndorsements({ baseUrl })).toThrow(TypeError);
    }
    // No `fetch` takes a user name. The message keeps the password to itself.
    const withPassword = { baseUrl: 'https://ann:pa55@ballot.example' };
    expect(() => new BallotEndorsements(withPassword)).toThrow(
      /^baseUrl .* it is "https:\/\/…@ballot\.example"/,
    );
  });

  test('is refused with a path outside of a page, by mirrors too, unless a custom fetch completes it', async () => {
    for (const baseUrl of ['', '/ballot']) {
      const client = new BallotEndorsements({ baseUrl, apiKey: 'bes_key' });
      await expect(client.listStates()).rejects.toThrow(/^baseUrl is .*, a path, which needs a page/);
      await expect(client.mirror().run()).rejects.toThrow(TypeError);
    }
    const fetch = async () => Response.json({ data: [] });
    const client = new BallotEndorsements({ baseUrl: '/ballot', fetch });
    expect(await client.listStates()).toEqual([]);
  });
});

describe('an error', () => {
  test('has the status, code, request and wait of the answer', async () => {
    const client = await createClient([answerError(429, 'daily_limit_exceeded', { 'Retry-After': '3600' })]);
    const error = await client.listStates().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 429,
      code: 'daily_limit_exceeded',
      message: 'It is daily_limit_exceeded.',
      requestId: 'request-1',
      retryAfterMs: 3_600_000,
    });
    // The caller decides about a wait of an hour.
    expect(service.requests).toHaveLength(1);
  });

  test("of a proxy has the proxy's text", async () => {
    const html: FakeAnswer = (response) => void response.writeHead(502).end('<h1>Bad Gateway</h1>');
    const client = await createClient([html], { maxRetries: 0 });
    await expect(client.listStates()).rejects.toMatchObject({
      status: 502,
      code: 'http_502',
      message: 'The answer has the status 502: <h1>Bad Gateway</h1>',
    });
  });

  test('names the reason if there is no answer', async () => {
    const client = await createClient([breakOff], { maxRetries: 0 });
    const error = await client.listStates().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NetworkError);
    expect((error as Error).message).toMatch(/other side closed|ECONNRESET|socket/);
  });

  test('reports that an answer is not from the service', async () => {
    const client = await createClient([(response) => void response.end('<html>Welcome')]);
    await expect(client.listStates()).rejects.toThrow(UnexpectedAnswerError);
    service.answers = [answerJson({ hello: 'world' })];
    await expect(client.listStates()).rejects.toThrow(/Check that baseUrl leads to this service/);
  });

  test.each<[string, unknown, (client: BallotEndorsements) => Promise<unknown>]>([
    ['a record instead of a list', { data: {} }, (client) => client.listStates()],
    ['a list instead of a record', { data: [] }, (client) => client.getDigest()],
    ['nothing instead of a record', { data: null }, (client) => client.getContest(1)],
    ['a page without a cursor', { data: [] }, (client) => client.listContests()],
    ['a page with a number as its cursor', { data: [], next_cursor: 7 }, (client) => client.listContests()],
    ['a page without a cursor, among several', { data: [] }, (client) => client.contests().next()],
    ['a text', 'data', (client) => client.listStates()],
  ])('reports an answer of the wrong shape: %s', async (_, body, call) => {
    const client = await createClient([answerJson(body)]);
    await expect(call(client)).rejects.toThrow(UnexpectedAnswerError);
    expect(service.requests).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])(
    'names baseUrl for the redirect %i, and follows none',
    async (status) => {
      const redirect: FakeAnswer = (response) =>
        void response.writeHead(status, { Location: 'https://ballot.example/v1/subscriptions' }).end();
      const client = await createClient([redirect, answerJson({ data: subscription })]);
      await expect(client.createSubscription({ name: 'mine', filter: {} })).rejects.toThrow(
        `redirect to https://ballot.example/v1/subscriptions. Give the final address as baseUrl, which is "${service.baseUrl}"`,
      );
      expect(service.requests).toHaveLength(1);
    },
  );

  test.each<[string, Response]>([
    [
      'that it may not see, as in a browser',
      Object.defineProperty(Response.json({}), 'type', { value: 'opaqueredirect' }),
    ],
    ['that its fetch has followed', Object.defineProperty(Response.json({}), 'redirected', { value: true })],
  ])('names baseUrl for a redirect %s', async (_, response) => {
    const client = await createClient([never], { fetch: async () => response });
    await expect(client.listStates()).rejects.toThrow(/Give the final address as baseUrl/);
  });

  test.each([400, 401, 403, 404, 409, 500])('%i is not repeated', async (status) => {
    const client = await createClient([answerError(status, 'some_code')]);
    await expect(client.listStates()).rejects.toMatchObject({ status });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a request whose fetch ignores its signal', () => {
  const deaf = () => new Promise<Response>(() => {});

  test('ends when its time is up', async () => {
    const client = await createClient([never], { fetch: deaf, timeoutMs: 500, maxRetries: 0 });
    await expect(client.listStates()).rejects.toThrow(TimeoutError);
  });

  test('ends when it is aborted, before its answer and within', async () => {
    const silent = async () => new Response(new ReadableStream({}));
    for (const fetch of [deaf, silent]) {
      const client = await createClient([never], { fetch });
      const controller = new AbortController();
      const reason = new Error('enough');
      const listed = client.listStates({ signal: controller.signal });
      const streamed = client.stream({ signal: controller.signal })[Symbol.asyncIterator]().next();
      controller.abort(reason);
      await expect(listed).rejects.toBe(reason);
      await expect(streamed).rejects.toBe(reason);
      // An abort is not a failure, so nothing is tried again.
      expect(retries).toEqual([]);
      await service.stop();
    }
    await createClient([never]);
  });
});

test('a key that does not come holds up neither the deadline of a call nor its signal', async () => {
  const client = await createClient([never], { apiKey: () => new Promise(() => {}), timeoutMs: 500 });
  await expect(client.listStates({ maxRetries: 0 })).rejects.toThrow(TimeoutError);
  const controller = new AbortController();
  const reason = new Error('enough');
  const streamed = client.stream({ signal: controller.signal })[Symbol.asyncIterator]().next();
  controller.abort(reason);
  await expect(streamed).rejects.toBe(reason);
});

test('a key that cannot be found fails calls, streams and mirrors with the reason', async () => {
  const reason = new Error('the vault is sealed');
  const client = await createClient([never], { apiKey: () => Promise.reject(reason) });
  await expect(client.listStates()).rejects.toBe(reason);
  await expect(client.stream()[Symbol.asyncIterator]().next()).rejects.toBe(reason);
  await expect(client.mirror().run()).rejects.toBe(reason);
});

describe('a request that failed', () => {
  test.each<[string, FakeAnswer]>([
    ['408', answerError(408, 'x')],
    ['425', answerError(425, 'x')],
    ['429', answerError(429, 'rate_limit_exceeded', { 'Retry-After': '0' })],
    ['502', answerError(502, 'x')],
    ['503', answerError(503, 'server_busy', { 'Retry-After': '0' })],
    ['504', answerError(504, 'x')],
    ['a broken connection', breakOff],
    ['an answer that breaks off without a sign', (response) => void response.end('{"data":[{"code":"C')],
  ])('with %s is sent again', async (_, failure) => {
    const client = await createClient([failure, failure, answerJson({ data: [{ code: 'CA' }] })]);
    await expect(client.listStates()).resolves.toEqual([{ code: 'CA' }]);
    expect(retries.map(({ failures, path }) => [failures, path])).toEqual([
      [1, '/v1/states'],
      [2, '/v1/states'],
    ]);
  });

  test('is not sent again before Retry-After', async () => {
    const client = await createClient([
      answerError(429, 'rate_limit_exceeded', { 'Retry-After': '1' }),
      answerJson({ data: [] }),
    ]);
    const askedAt = performance.now();
    await client.listStates();
    expect(performance.now() - askedAt).toBeGreaterThan(999);
    expect(retries[0]?.waitMs).toBeGreaterThanOrEqual(1000);
  });

  test('is retried at most maxRetries times, with growing waits', async () => {
    const client = await createClient([answerError(503, 'server_busy')], { maxRetries: 3 });
    await expect(client.listStates()).rejects.toMatchObject({ code: 'server_busy' });
    expect(service.requests).toHaveLength(4);
    const bounds = [250, 500, 1000];
    for (const [index, { waitMs }] of retries.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual((bounds[index] ?? 0) / 2);
      expect(waitMs).toBeLessThanOrEqual(bounds[index] ?? 0);
    }
  });

  test('is sent again after timeoutMs', async () => {
    const client = await createClient([never, answerJson({ data: [] })], { timeoutMs: 1000 });
    await client.listStates();
    expect(retries[0]?.error).toBeInstanceOf(TimeoutError);
  });

  test('waits for its answer if timeoutMs is longer than a timer can be', async () => {
    const late: FakeAnswer = (...given) => void setTimeout(() => answerJson({ data: [] })(...given), 100);
    const client = await createClient([late], { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0 });
    await expect(client.listStates()).resolves.toEqual([]);
  });

  test('times out if the answer begins and does not end', async () => {
    const half: FakeAnswer = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"data":');
    };
    const client = await createClient([half], { timeoutMs: 1000, maxRetries: 0 });
    await expect(client.listStates()).rejects.toThrow(TimeoutError);
  });

  test('ends at once if its caller aborts it, during a request and during a wait', async () => {
    const client = await createClient([never]);
    const reason = new Error('enough');
    await expect(client.listStates({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const asked = client.listStates({ signal: controller.signal });
    setTimeout(() => controller.abort(reason), 500);
    await expect(asked).rejects.toBe(reason);

    service.answers = [answerError(503, 'server_busy', { 'Retry-After': '50' })];
    const other = new AbortController();
    const waiting = client.listStates({ signal: other.signal });
    setTimeout(() => other.abort(reason), 500);
    await expect(waiting).rejects.toBe(reason);
  });
});

describe('a request that changes something', () => {
  test('has the same Idempotency-Key in each attempt, and another in each call', async () => {
    const client = await createClient([breakOff, answerJson({ data: subscription }, 201)]);
    await expect(client.createSubscription({ name: 'mine' })).resolves.toEqual(subscription);
    await client.createSubscription({ name: 'mine' });
    const [first, again, other] = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(service.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"mine"}'));
  });

  test('publishes with the given Idempotency-Key, and reads what became of it', async () => {
    const submissions = [{ endorser: 'acme', contest: 'or-2026-11-03-general/mayor', choice: 'ann' }];
    const published = { id: 7, submissions: [{ ...submissions[0], status: 'submitted' }] };
    const client = await createClient([breakOff, answerJson({ data: published }, 202)]);
    await expect(client.publish(submissions, { idempotencyKey: 'edition-7' })).resolves.toEqual(published);
    await client.publish(submissions);
    const keys = service.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['edition-7', 'edition-7', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(service.requests[0]).toMatchObject({
      ...{ method: 'POST', path: '/v1/submissions', body: JSON.stringify({ submissions }) },
    });
    service.answers = [answerJson({ data: published })];
    await expect(client.submission(7, { wait: 5 })).resolves.toEqual(published);
    expect(service.requests.at(-1)).toMatchObject({ method: 'GET', path: '/v1/submissions/7' });
    expect(service.requests.at(-1)?.query.get('wait')).toBe('5');
  });

  test('is refused with an Idempotency-Key that would not arrive', async () => {
    const client = await createClient([never]);
    for (const idempotencyKey of ['', 'edition 7', 'издание-7', 'x'.repeat(256)]) {
      await expect(client.publish([], { idempotencyKey })).rejects.toThrow(
        /^idempotencyKey must have 1 to 255/,
      );
    }
    expect([service.requests, retries]).toEqual([[], []]);
  });

  test('has deleted the record if a retry does not find it', async () => {
    const gone = answerError(404, 'subscription_not_found');
    const client = await createClient([breakOff, gone, gone]);
    await client.deleteSubscription(1);
    await expect(client.deleteSubscription(1)).rejects.toMatchObject({ status: 404 });
  });

  test('has deleted nothing if a retry is refused, and what is replaced must exist at a retry too', async () => {
    const client = await createClient([
      ...[breakOff, answerError(403, 'insufficient_scope')],
      ...[breakOff, answerError(404, 'subscription_not_found')],
    ]);
    await expect(client.deleteSubscription(1)).rejects.toMatchObject({ status: 403 });
    await expect(client.replaceSubscription(1, { name: 'mine' })).rejects.toMatchObject({ status: 404 });
    expect(service.requests).toHaveLength(4);
  });

  test('deletes a record, whose answer is empty', async () => {
    const client = await createClient([(response) => void response.writeHead(204).end()]);
    expect(await client.deleteSubscription(1)).toBeUndefined();
    expect(service.requests).toMatchObject([{ method: 'DELETE', path: '/v1/subscriptions/1', body: '' }]);
  });

  test('replaces a record', async () => {
    const client = await createClient([answerJson({ data: subscription })]);
    await client.replaceSubscription(1, { name: 'mine', filter: { states: ['CA'] } });
    expect(service.requests[0]).toMatchObject({ method: 'PUT', path: '/v1/subscriptions/1' });
  });
});

test('a paged list is read to its end, each page on demand', async () => {
  const client = await createClient([
    answerJson({ data: [{ id: 1 }, { id: 2 }], next_cursor: 'two' }),
    answerError(503, 'server_busy', { 'Retry-After': '0' }),
    answerJson({ data: [{ id: 3 }], next_cursor: null }),
  ]);
  const ids: number[] = [];
  for await (const { id } of client.contests({ states: ['CA'] })) {
    ids.push(id);
    if (id === 1) expect(service.requests).toHaveLength(1);
  }
  expect(ids).toEqual([1, 2, 3]);
  expect(service.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
    { states: 'CA', limit: '500' },
    { states: 'CA', limit: '500', cursor: 'two' },
    { states: 'CA', limit: '500', cursor: 'two' },
  ]);
});

test('pages have as many records as the caller asks for', async () => {
  const client = await createClient([answerJson({ data: [{ id: 1 }], next_cursor: null })]);
  await client.contests({ pageSize: 2 }).next();
  expect(Object.fromEntries(service.requests[0]?.query ?? [])).toEqual({ limit: '2' });
});

test('a call, its wait for a retry, and a stream leave nothing at a signal that lives on', async () => {
  const client = await createClient([
    answerError(503, 'server_busy', { 'Retry-After': '0' }),
    answerJson({ data: [] }),
    answerStream(frame('endorsement', '01.x', { id: '01.x' })),
  ]);
  const { signal } = new AbortController();
  await client.listStates({ signal });
  expect(service.requests).toHaveLength(2);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  for await (const _ of client.stream({ signal })) break;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('calls and streams at once have one listener at their signal, which ends them all', async () => {
  const client = await createClient([never]);
  const controller = new AbortController();
  const { signal } = controller;
  const listed = Array.from({ length: 11 }, () => client.listStates({ signal }));
  const streamed = Array.from({ length: 11 }, () => client.stream({ signal })[Symbol.asyncIterator]().next());
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  const reason = new Error('enough');
  controller.abort(reason);
  const ends = await Promise.allSettled<unknown>([...listed, ...streamed]);
  expect(ends).toEqual(Array(22).fill({ status: 'rejected', reason }));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
