/** The TypeScript client's calls that the service holds, and its quiet connections: their waits take no time here. */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  BallotEndorsements,
  type EndorsementEvent,
  type Retry,
  TimeoutError,
} from '../../../clients/typescript/src/index.ts';
import { frame } from '../../helpers/clients/fake-service.ts';
import { usePassingTime } from '../../helpers/clients/passing-time.ts';

const SECOND = 1000;
const time = usePassingTime();

/** When each request was sent, in seconds. */
let asked: number[];
let retries: Retry[];
beforeEach(() => {
  asked = [];
  retries = [];
  jest.spyOn(Date, 'now').mockImplementation(() => time.now);
});

/** A client with a second of patience, whose service answers the nth request so. */
function createClient(answer: (request: number) => Promise<Response>, maxRetries = 0): BallotEndorsements {
  const fetch: typeof globalThis.fetch = (_, init) => {
    asked.push(time.now / SECOND);
    return new Promise((resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      answer(asked.length).then(resolve, reject);
    });
  };
  const onRetry = (retry: Retry) => retries.push(retry);
  return new BallotEndorsements({
    ...{ baseUrl: 'https://ballot.example', fetch, timeoutMs: SECOND, maxRetries, onRetry },
  });
}

const answerAfter = async (ms: number, body: unknown): Promise<Response> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return Response.json(body);
};

const PAGE = { data: [], next_cursor: '01.x', has_more: false };

describe('a call that the service may hold', () => {
  test.each<[string, number, unknown, (client: BallotEndorsements) => Promise<unknown>]>([
    ['the outcome of submissions', 20, { data: {} }, (client) => client.submission(1, { wait: 20 })],
    ['an answer of events', 25, PAGE, (client) => client.pollEvents({ wait: 25 })],
    ['a test of a webhook', 25, { data: {} }, (client) => client.testWebhook(1)],
  ])('is given the time of its wait and its patience: %s', async (_, seconds, body, call) => {
    const waitMs = seconds * SECOND;
    await time.passUntil(call(createClient(() => answerAfter(waitMs + 900, body))));
    await expect(time.passUntil(call(createClient(() => answerAfter(waitMs + 1100, body))))).rejects.toThrow(
      TimeoutError,
    );
    expect(retries).toEqual([]);
  });

  test('is given only its patience if it asks for no wait', async () => {
    const client = createClient(() => answerAfter(1100, { data: {} }));
    await expect(time.passUntil(client.submission(1))).rejects.toThrow(TimeoutError);
  });
});

test('a call waits for a limit that ends in a minute', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0.9);
  const refused = () =>
    Response.json(
      { error: { code: 'rate_limit_exceeded', message: '' } },
      { status: 429, headers: { 'Retry-After': '60' } },
    );
  const client = createClient(
    async (request) => (request === 1 ? refused() : Response.json({ data: [] })),
    1,
  );
  await time.passUntil(client.listStates());
  expect(asked).toEqual([0, 60]);
});

test('a loop waits for an answer of events as long as the service may hold it', async () => {
  const event = { id: '02.x', type: 'endorsement.created' } as EndorsementEvent;
  const client = createClient((request) =>
    request === 1
      ? answerAfter(0, PAGE)
      : answerAfter(25_900, { ...PAGE, data: [event], next_cursor: '02.x' }),
  );
  const events = client.events({ from: 'earliest' })[Symbol.asyncIterator]();
  expect((await time.passUntil(events.next())).value).toEqual(event);
  expect(retries).toEqual([]);
});

/** A stream without events, which ends after a time with a ping. */
async function quietStream(ms: number): Promise<Response> {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(frame('ready', `0${asked.length}_t.x`)));
      setTimeout(() => {
        controller.enqueue(encoder.encode(': ping\n\n'));
        controller.close();
      }, ms);
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

test.each([
  ['at once, are opened at growing intervals', 500, [0, 1.5, 3, 5.5, 10]],
  ['after a while, are opened again as soon as the first time', 11_000, [0, 12, 24, 36, 48]],
])('streams without events that end %s', async (_, ms, times) => {
  const events = createClient(() => quietStream(ms)).stream();
  const reading = events[Symbol.asyncIterator]().next();
  while (asked.length < times.length) await time.pass(100);
  events.close();
  await time.passUntil(reading);
  expect(asked).toEqual(times);
});
