import { describe, expect, jest, test } from '@jest/globals';
import { Patience } from '../../../clients/typescript/src/http/retries.ts';
import { readRetryAfter } from '../../../clients/typescript/src/http/retry-after.ts';
import {
  ApiError,
  NetworkError,
  type Retry,
  TimeoutError,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/index.ts';
import { usePassingTime } from '../../helpers/clients/passing-time.ts';

const time = usePassingTime();
const RETRY_MS = 100;

test('pauses without progress grow, and the first one after progress is as short as the service asks', async () => {
  const connection = { onRetry: () => {}, mayRenewKey: false, isRecognized: false };
  const patience = new Patience({ connection, path: '/v1/stream', retryMs: RETRY_MS });
  const pause = async () => {
    const begunAt = time.now;
    let isOver = false;
    const pausing = patience.pause().then(() => {
      isOver = true;
    });
    while (!isOver) await time.pass(RETRY_MS);
    await pausing;
    return time.now - begunAt;
  };
  for (let round = 0; round < 2; round += 1) {
    expect([await pause(), await pause(), await pause()]).toEqual([RETRY_MS, 1000, 2000]);
    patience.succeed();
  }
});

describe('a read that survives failures', () => {
  let retries: Retry[];

  const patienceOf = (options: { maxRetries?: number } = {}) => {
    retries = [];
    const connection = {
      onRetry: (each: Retry) => retries.push(each),
      mayRenewKey: false,
      isRecognized: false,
    };
    return new Patience({ connection, path: '/v1/stream', retryMs: RETRY_MS, ...options });
  };
  const answerOf = (status: number, retryAfterMs: number | null = null) =>
    new ApiError({ status, code: 'a_code', message: 'no', requestId: null, retryAfterMs });

  /** @returns how long the failure was borne, in milliseconds; undefined if it ended the read */
  async function bear(patience: Patience, error: unknown): Promise<number | undefined> {
    const begunAt = time.now;
    let end: 'borne' | 'over' | undefined;
    const bearing = patience.bear(error).then(
      () => {
        end = 'borne';
      },
      (reason: unknown) => {
        expect(reason).toBe(error);
        end = 'over';
      },
    );
    while (end === undefined) await time.pass(RETRY_MS);
    await bearing;
    return end === 'borne' ? time.now - begunAt : undefined;
  }

  test.each<[string, unknown]>([
    ['a service that is away', answerOf(503)],
    ['a limit', answerOf(429)],
    ['a slow request', answerOf(408)],
    ['a request that came too early', answerOf(425)],
    ['a defect of the service', answerOf(500)],
    ['a network that fails', new NetworkError('away')],
    ['silence', new TimeoutError('late')],
  ])('bears %s, and tells about it', async (_, error) => {
    const waitedMs = await bear(patienceOf(), error);
    expect(retries).toEqual([{ error, path: '/v1/stream', failures: 1, waitMs: expect.any(Number) }]);
    expect(waitedMs).toBeGreaterThanOrEqual(retries[0]?.waitMs ?? Number.NaN);
  });

  test.each<[string, unknown]>([
    ['a wrong request', answerOf(400)],
    ['a key that is revoked', answerOf(401)],
    ['an error of the program', new TypeError('a defect')],
  ])('ends with %s, and tells nothing', async (_, error) => {
    const patience = patienceOf();
    patience.succeed();
    expect(await bear(patience, error)).toBeUndefined();
    expect(retries).toEqual([]);
  });

  test.each<[string, (patience: Patience) => void]>([
    ['answered', (patience) => patience.recognize()],
    ['brought something', (patience) => patience.succeed()],
  ])('ends with the answer of something else, unless the service has %s before', async (_, note) => {
    const error = new UnexpectedAnswerError('a page of a proxy');
    const patience = patienceOf();
    expect(await bear(patience, error)).toBeUndefined();
    note(patience);
    expect(await bear(patience, error)).toBeGreaterThan(0);
  });

  test('gives up after as many failures in a row as it may bear, and counts anew after progress', async () => {
    const patience = patienceOf({ maxRetries: 2 });
    const error = answerOf(503);
    for (let round = 0; round < 2; round += 1) {
      expect(await bear(patience, error)).toBeDefined();
      expect(await bear(patience, error)).toBeDefined();
      expect(await bear(patience, error)).toBeUndefined();
      patience.succeed();
    }
    expect(retries.map(({ failures }) => failures)).toEqual([1, 2, 1, 2]);
  });

  test('waits half a minute at most after many failures in a row', async () => {
    const patience = patienceOf();
    for (let failures = 0; failures < 12; failures += 1) await bear(patience, answerOf(503));
    const waits = retries.map(({ waitMs }) => waitMs);
    expect(waits[8]).toBeGreaterThan(10_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  });

  test.each([
    ['for which the service names no wait', null],
    ['for which it names one', 2000],
  ])('clients do not return together after a failure %s', async (_, askedMs) => {
    const waits: number[] = [];
    for (const chance of [0, 0.99]) {
      jest.spyOn(Math, 'random').mockReturnValue(chance);
      await bear(patienceOf(), answerOf(429, askedMs));
      waits.push(retries[0]?.waitMs ?? 0);
    }
    const [one = 0, other = 0] = waits.toSorted((a, b) => a - b);
    expect(other / one).toBeGreaterThan(1.2);
    expect(one).toBeGreaterThanOrEqual(askedMs ?? RETRY_MS / 2);
  });

  test('waits as long as it is asked to, unless its failures are limited and the wait is longer than a minute', async () => {
    const [minute, longer] = [answerOf(429, 59_000), answerOf(429, 61_000)];
    expect(await bear(patienceOf(), longer)).toBeGreaterThanOrEqual(61_000);
    const limited = patienceOf({ maxRetries: 2 });
    expect(await bear(limited, minute)).toBeGreaterThanOrEqual(59_000);
    expect(await bear(limited, longer)).toBeUndefined();
  });
});

describe('the wait that a service asks for', () => {
  const now = Date.parse('2026-11-03T08:00:00Z');
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['Tue, 03 Nov 2026 08:00:30 GMT', 30_000],
    ['Tue, 03 Nov 2026 07:59:00 GMT', 0],
  ])('is read from %j', (value, waitMs) => {
    expect(readRetryAfter(new Headers({ 'Retry-After': value }), now)).toBe(waitMs);
  });

  test.each([-3, 3])('counts from the time of the answer if this clock is %i hours wrong', (hours) => {
    const headers = new Headers({
      Date: new Date(now).toUTCString(),
      'Retry-After': 'Tue, 03 Nov 2026 08:00:30 GMT',
    });
    expect(readRetryAfter(headers, now + hours * 3_600_000)).toBe(30_000);
  });

  test.each([null, '', 'soon', '-1', '1.5', '2027-11-03'])('is unknown for %j', (value) => {
    const headers = new Headers(value === null ? {} : { 'Retry-After': value });
    expect(readRetryAfter(headers, now)).toBeNull();
  });
});
