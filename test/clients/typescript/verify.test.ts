/**
 * Verifications of the TypeScript client's mirrors: they end with their signal, and give up after `maxRetries` and
 * `catchUpMs`.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { BallotEndorsements, type Mirror, TimeoutError } from '../../../clients/typescript/src/index.ts';
import { digestCopy } from '../../../clients/typescript/src/mirror/digest.ts';
import { MemoryStorage } from '../../../clients/typescript/src/mirror/memory-storage.ts';
import {
  answerError,
  answerJson,
  answerLines,
  type FakeAnswer,
  FakeService,
} from '../../helpers/clients/fake-service.ts';
import { until } from '../../helpers/until.ts';

let service: FakeService;
afterEach(() => service.stop());

type Answers = Record<'endorsements' | 'events' | 'digest', FakeAnswer>;

const BUCKET_SIZE = 4096;
const list = answerLines([{ stream_cursor: '1' }, { count: 0 }]);
const noEvents = answerJson({ data: [], next_cursor: '1', has_more: false });
const digestAt = async (stream_cursor: string) => {
  const digest = await digestCopy(new MemoryStorage().read(), BUCKET_SIZE);
  return answerJson({ data: { stream_cursor, bucket_size: BUCKET_SIZE, ...digest } });
};

/** A mirror of a service without endorsements. The test can replace its answers while it runs. */
async function createMirror(answers: Answers): Promise<Mirror> {
  service = await FakeService.start((response, request) =>
    answers[request.path.replace('/v1/', '') as keyof Answers](response, request),
  );
  return new BallotEndorsements({ baseUrl: service.baseUrl, maxRetries: 1, timeoutMs: 5000 }).mirror();
}

/** An answer that waits until it is released. */
function hold(answer: FakeAnswer): { answer: FakeAnswer; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { answer: (...given) => promise.then(() => answer(...given)), release: resolve };
}

const asked = (path: string) => service.requests.some((request) => request.path === path);

describe('a verification', () => {
  test('ends with its signal while it waits for its turn, and does not delay those behind it', async () => {
    const held = hold(list);
    const mirror = await createMirror({
      endorsements: held.answer,
      events: noEvents,
      digest: await digestAt('1'),
    });
    const syncing = mirror.sync();
    await until('the list to be read', () => asked('/v1/endorsements'));
    const stopping = new AbortController();
    const ending = mirror.verify({ signal: stopping.signal });
    const waiting = mirror.verify();
    stopping.abort(new Error('no longer needed'));
    await expect(ending).rejects.toThrow('no longer needed');
    await expect(mirror.repair({ signal: stopping.signal })).rejects.toThrow('no longer needed');
    expect(asked('/v1/digest')).toBe(false);
    held.release();
    await syncing;
    expect(await waiting).toMatchObject({ ok: true, count: 0 });
    const digests = service.requests.filter(({ path }) => path === '/v1/digest');
    expect(digests).toHaveLength(1);
  });

  test('lets a waiting mirror stop', async () => {
    const answers: Answers = { endorsements: list, events: noEvents, digest: await digestAt('1') };
    const mirror = await createMirror(answers);
    await mirror.sync();
    const held = hold(answers.digest);
    answers.digest = held.answer;
    const verifying = mirror.verify();
    await until('the digest to be read', () => asked('/v1/digest'));
    answers.events = answerJson({ data: [], next_cursor: '2', has_more: false });
    const before = service.requests.length;
    const stopping = new AbortController();
    const syncing = mirror.sync({ signal: stopping.signal });
    await until('the events to be read', () => service.requests.length > before);
    stopping.abort(new Error('stopped'));
    await expect(syncing).rejects.toThrow('stopped');
    held.release();
    expect(await verifying).toMatchObject({ ok: true });
  });

  test('fails after maxRetries if the events up to the digest cannot be read', async () => {
    const answers: Answers = { endorsements: list, events: noEvents, digest: await digestAt('2') };
    const mirror = await createMirror(answers);
    await mirror.sync();
    const before = service.requests.length;
    answers.events = answerError(500, 'internal_error');
    const ending = mirror.verify({ signal: AbortSignal.timeout(10_000) });
    await expect(ending).rejects.toMatchObject({ status: 500 });
    expect(service.requests.slice(before).map(({ path }) => path)).toEqual([
      '/v1/digest',
      '/v1/events',
      '/v1/events',
    ]);
  });

  test('fails after catchUpMs if the service never sends the changes that its digest shows', async () => {
    const answers: Answers = { endorsements: list, events: noEvents, digest: await digestAt('2') };
    const mirror = await createMirror(answers);
    await mirror.sync();
    // The cursor moves with time, as that of a silent stream does.
    let polls = 0;
    answers.events = (response, request) => {
      polls += 1;
      return answerJson({ data: [], next_cursor: `1${polls}`, has_more: false })(response, request);
    };
    const ending = mirror.verify({ catchUpMs: 300, signal: AbortSignal.timeout(5000) });
    await expect(ending).rejects.toThrow(TimeoutError);
    await expect(mirror.repair({ catchUpMs: 0 })).rejects.toThrow(
      'within 0 ms: one of its gateways is behind',
    );
    expect(polls).toBeGreaterThan(1);
  });
});
