/** The courier of one webhook, step by step: its stream, its receiver, its database and its clock are the test's. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import type { MadeAttempt } from '../../../consumers/deliver/attempts.ts';
import { Courier, type CourierServices } from '../../../consumers/deliver/courier.ts';
import { Turns, type TurnTaker } from '../../../consumers/deliver/turns.ts';
import { StreamGapError } from '../../../feed/stream-gap-error.ts';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import { KafkaUnavailableError } from '../../../service/failure.ts';
import type { NewBatch, RecordedAttempt } from '../../../store/webhooks/deliveries.ts';
import type { LoadedWebhook } from '../../../store/webhooks/leases.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { FakeFeed, HOUR, MINUTE, SECOND } from '../../helpers/stream/fed-stream.ts';

const RETENTION_MS = 24 * HOUR;
const { log, lines } = captureLog('warn');

let clock: ManualClock;
let feed: FakeFeed;
/** The attempts under way, which the test ends. */
let attempts: {
  messageId: string;
  events: number;
  end: (outcome: string, durationMs?: number) => Promise<void>;
}[];
let saved: NewBatch[];
let recorded: RecordedAttempt[];
/** Whether the database takes batches and attempts, or fails. */
let takes: boolean | Error;
/** The batch that the database has. */
let stored: Partial<NewBatch> | null;
/** How often the webhook was disabled, because its events are no longer kept. */
let expiries: number;
let lost: AbortController;
/** The turns that were asked for. */
let turns: Turns;
let taken: boolean[];
let courier: Courier;

beforeEach(() => {
  clock = new ManualClock();
  feed = new FakeFeed(clock);
  [attempts, saved, recorded, takes, stored, expiries, taken, lines.length] = [
    [],
    [],
    [],
    true,
    null,
    0,
    [],
    0,
  ];
  lost = new AbortController();
  turns = new Turns();
});
afterEach(async () => {
  lost.abort();
  for (const { end } of attempts) await end('delivered');
  await courier.stop();
  expect([courier.isFinished, turns.running, turns.waiting, feed.filters]).toEqual([true, 0, 0, 0]);
});

async function answer(): Promise<boolean> {
  if (takes instanceof Error) throw takes;
  return takes;
}

/** Starts the courier of a webhook at the end of the stream, or before some changes. */
async function start(webhook: Partial<LoadedWebhook> = {}, behind = 0): Promise<void> {
  const beginning = formatCursor({ epoch: feed.epoch, ...feed.latest });
  feed.append('CA', behind);
  const loaded = {
    ...{ id: 1, accountId: 1, url: 'https://a.example/', filter: {}, cursor: beginning, state: 'active' },
    ...{ reason: null, failures: 0, failingSince: null, nextAttemptAt: null, revision: 3, hasBatch: false },
    ...{ createdAt: 0, ...webhook },
  } as LoadedWebhook;
  const take = turns.take.bind(turns);
  turns.take = (taker: TurnTaker, signal) => {
    taken.push(taker.isSlow);
    return take(taker, signal);
  };
  const services = {
    ...{ feed, delivererId: 'me', turns, retentionMs: RETENTION_MS, random: () => 0, clock, log },
    pool: {
      async query(given: string | { name: string }) {
        if (typeof given !== 'string') return { rows: stored ? [stored] : [] };
        expiries += 1;
        return {};
      },
    } as unknown as Pool,
    attempts: {
      make: (_: unknown, message: { messageId: string; events: number }, signal: AbortSignal) =>
        new Promise<MadeAttempt>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          const end = async (outcome: string, durationMs = 10) => {
            resolve({ ...message, outcome, durationMs, retryAfterMs: null } as unknown as MadeAttempt);
            await settle();
          };
          attempts.push({ ...message, end });
        }),
    },
    saves: {
      add(batch: NewBatch) {
        saved.push(batch);
        stored = batch;
        return answer();
      },
    },
    records: {
      add(attempt: RecordedAttempt) {
        recorded.push(attempt);
        return answer();
      },
    },
  } as unknown as CourierServices;
  courier = new Courier(loaded, services, lost.signal);
  await settle();
}

const sequenceOf = (cursor: string | null | undefined) => parseCursor(cursor ?? '').sequence;

test('a batch is stored before it is sent, and the next one begins after it', async () => {
  await start({}, 3);
  expect(saved).toMatchObject([{ id: 1, revision: 3, events: 3, messageId: attempts[0]?.messageId }]);
  feed.append('CA', 2);
  await attempts[0]?.end('delivered');
  expect(attempts.map(({ events }) => events)).toEqual([3, 2]);
  expect(recorded.map(({ after }) => sequenceOf(after?.cursor))).toEqual([3]);
  await attempts[1]?.end('delivered');
  expect(attempts).toHaveLength(2);
  feed.append('CA');
  await settle();
  expect(sequenceOf(saved.at(-1)?.cursor)).toBe(6);
});

describe('an attempt that fails', () => {
  test('is repeated when it is due, with the same batch, and a success counts anew', async () => {
    await start({}, 1);
    feed.append('CA');
    for (const failures of [1, 2, 3]) {
      await attempts.at(-1)?.end('refused');
      expect(recorded.at(-1)?.after).toMatchObject({ state: 'failing', failures, cursor: null });
      expect(attempts).toHaveLength(failures);
      await clock.advance((recorded.at(-1)?.after?.nextAttemptAt ?? 0) - clock.now() - 1);
      expect(attempts).toHaveLength(failures);
      await clock.advance(1);
      expect(attempts).toHaveLength(failures + 1);
    }
    await attempts.at(-1)?.end('delivered');
    expect(new Set(attempts.slice(0, 4).map(({ messageId }) => messageId)).size).toBe(1);
    expect(recorded.at(-1)?.after).toMatchObject({ state: 'active', failures: 0 });
    expect([saved.length, attempts.length]).toEqual([2, 5]);
    await attempts.at(-1)?.end('refused');
    expect(recorded.at(-1)?.after).toMatchObject({ failures: 1 });
  });

  test('for good ends the courier', async () => {
    await start({}, 1);
    await attempts[0]?.end('gone');
    expect([recorded.at(-1)?.after?.state, courier.isFinished, feed.filters]).toEqual(['disabled', true, 0]);
    expect(lines).toMatchObject([{ msg: 'a webhook is disabled', reason: 'receiver_gone' }]);
  });

  test('or that is slow makes its webhook one of the slow ones, until it is quick again', async () => {
    await start({}, 1);
    const outcomes = [['refused'], ['delivered', 1001], ['delivered', 1000], ['delivered']] as const;
    for (const [outcome, durationMs] of outcomes) {
      feed.append('CA');
      await attempts.at(-1)?.end(outcome, durationMs);
      await clock.advance(MINUTE);
    }
    expect(taken).toEqual([false, true, true, false, false]);
  });
});

test('a webhook that was failing when it was loaded is slow, and continues with its batch when that is due', async () => {
  const nextAttemptAt = clock.now() + MINUTE;
  stored = { messageId: 'begun', body: Buffer.from('{}'), events: 1, cursor: '' };
  stored.cursor = formatCursor({ epoch: feed.epoch, ...feed.latest, sequence: 1 });
  await start({ hasBatch: true, failures: 1, failingSince: clock.now(), state: 'failing', nextAttemptAt }, 2);
  await clock.advance(MINUTE - 1);
  expect(attempts).toHaveLength(0);
  await clock.advance(1);
  expect([attempts[0]?.messageId, taken, saved]).toEqual(['begun', [true], []]);
  await attempts[0]?.end('delivered');
  expect(attempts[1]?.events).toBe(1);
});

test('a begun batch is sent although this process has not read its changes yet', async () => {
  stored = { messageId: 'begun', body: Buffer.from('{}'), events: 1, cursor: '' };
  await start({ hasBatch: true });
  expect(attempts[0]?.messageId).toBe('begun');
  await attempts[0]?.end('refused');
});

test('a begun batch that the database has no more is followed by the next one', async () => {
  await start({ hasBatch: true }, 2);
  expect([attempts.length, attempts[0]?.events]).toEqual([1, 2]);
});

describe('a courier whose webhook was changed', () => {
  test('sends no batch that the database refuses, and ends', async () => {
    takes = false;
    await start({}, 1);
    expect([saved.length, attempts.length, courier.isFinished]).toEqual([1, 0, true]);
  });

  test('ends after an attempt that the database does not count', async () => {
    await start({}, 1);
    takes = false;
    await attempts[0]?.end('delivered');
    expect([recorded.length, courier.isFinished]).toEqual([1, true]);
  });
});

test('an attempt is recorded until the database has it, and is not made again', async () => {
  await start({}, 1);
  takes = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  await attempts[0]?.end('delivered');
  await clock.advance(3 * SECOND);
  expect([recorded.length, attempts.length, lines.length]).toEqual([4, 1, 1]);
  takes = true;
  await clock.advance(SECOND);
  expect(recorded).toHaveLength(5);
  feed.append('CA');
  await settle();
  expect(attempts.map(({ events }) => events)).toEqual([1, 1]);
});

test('a batch whose storing fails may be stored, so it is looked up', async () => {
  takes = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  await start({}, 1);
  expect(attempts).toHaveLength(0);
  takes = true;
  await clock.advance(SECOND);
  expect([saved.length, attempts[0]?.messageId]).toEqual([1, saved[0]?.messageId]);
});

describe('a stream', () => {
  test('that cannot be read is asked again after a second, and each outage is reported once', async () => {
    feed.failure = new KafkaUnavailableError('no broker');
    await start({}, 2500);
    for (const outage of [1, 2]) {
      await clock.advance(5 * SECOND);
      expect([attempts.length, lines.length]).toEqual([outage - 1, outage]);
      feed.failure = undefined;
      await clock.advance(SECOND);
      expect(attempts).toHaveLength(outage);
      feed.failure = new KafkaUnavailableError('no broker');
      await attempts.at(-1)?.end('delivered');
    }
  });

  test.each<[string, () => Promise<void>]>([
    [
      'that has lost the next change',
      async () => {
        feed.failure = new StreamGapError(1);
        await start({}, 1);
      },
    ],
    [
      'that no longer keeps the next change',
      async () => {
        const cursor = formatCursor({
          epoch: feed.epoch,
          sequence: 0,
          time: clock.now() - 1.05 * RETENTION_MS - 1,
          offsets: [],
        });
        await start({ cursor }, 1);
      },
    ],
    [
      'that has begun anew',
      () =>
        start({
          cursor: formatCursor({ epoch: feed.epoch - 1, sequence: 0, time: clock.now(), offsets: [] }),
        }),
    ],
  ])('%s disables the webhook', async (_, begin) => {
    await begin();
    expect([expiries, courier.isFinished, attempts.length]).toEqual([1, true, 0]);
  });

  test('is delivered from its oldest change on, which is a little too old when deliveries begin', async () => {
    const time = clock.now() - RETENTION_MS - MINUTE;
    await start({ cursor: formatCursor({ epoch: feed.epoch, sequence: 0, time, offsets: [] }) }, 1);
    await attempts[0]?.end('refused');
    expect(recorded.map(({ after }) => after?.state)).toEqual(['failing']);
  });

  test('that was silent for longer than changes are kept disables nothing', async () => {
    const time = clock.now() - 2 * RETENTION_MS;
    await start({ cursor: formatCursor({ epoch: feed.epoch, sequence: 0, time, offsets: [] }) });
    expect([expiries, courier.isFinished]).toEqual([0, false]);
  });

  test('that no longer keeps a begun batch sends it even so', async () => {
    stored = { messageId: 'begun', body: Buffer.from('{}'), events: 1, cursor: '' };
    const time = clock.now() - 1.05 * RETENTION_MS - 1;
    const cursor = formatCursor({ epoch: feed.epoch, sequence: 0, time, offsets: [] });
    await start({ cursor, hasBatch: true }, 1);
    expect([expiries, attempts[0]?.messageId]).toEqual([0, 'begun']);
  });
});

describe('the position to store', () => {
  test('has moved with changes that do not match, is told once, and is not told while a batch is sent', async () => {
    await start({ filter: { states: ['OR'] } });
    expect(courier.takeMovedPosition(HOUR)).toBeNull();
    feed.append('CA', 4);
    const moved = courier.takeMovedPosition(HOUR);
    expect([moved?.id, moved?.revision, sequenceOf(moved?.cursor)]).toEqual([1, 3, 4]);
    expect(courier.takeMovedPosition(HOUR)).toBeNull();
    feed.append('OR');
    feed.append('CA');
    await settle();
    expect(courier.takeMovedPosition(0)).toBeNull();
    await attempts[0]?.end('delivered');
    feed.append('CA');
    expect(sequenceOf(courier.takeMovedPosition(HOUR)?.cursor)).toBe(7);
  });

  test('INV-5: is told on a silent stream from time to time, and after a delivery it need not be told', async () => {
    await start();
    await clock.advance(HOUR - 1);
    expect(courier.takeMovedPosition(HOUR)).toBeNull();
    await clock.advance(1);
    const moved = courier.takeMovedPosition(HOUR);
    expect(parseCursor(moved?.cursor ?? '').time).toBe(clock.now());
    expect(courier.takeMovedPosition(HOUR)).toBeNull();
    await clock.advance(HOUR - 1);
    feed.append('CA');
    await settle();
    await attempts[0]?.end('delivered');
    await clock.advance(HOUR - 1);
    expect(courier.takeMovedPosition(HOUR)).toBeNull();
  });

  test('while the next change waits for its turn is before it, with offsets that are not after it', async () => {
    const taker = { host: 'b.example', accountId: 1, isSlow: false };
    const busy = await Promise.all(Array.from({ length: 4 }, () => turns.take(taker, lost.signal)));
    await start({ filter: { states: ['OR'] } });
    feed.append('CA');
    feed.appendTogether(['CA', 'OR', 'CA']);
    await settle();
    const moved = parseCursor(courier.takeMovedPosition(HOUR)?.cursor ?? '');
    expect([moved.sequence, moved.offsets[0]]).toEqual([2, 0]);
    for (const endTurn of busy) endTurn?.();
  });

  test('is that of the last change that was examined when the courier was stopped', async () => {
    await start({ filter: { states: ['OR'] } });
    feed.append('CA', 2);
    await courier.stop();
    feed.append('CA', 2);
    expect(sequenceOf(courier.takeMovedPosition(HOUR)?.cursor)).toBe(2);
  });
});

test('a position ahead of this process’s feed stays', async () => {
  feed.append('CA', 2);
  await start({ cursor: formatCursor({ epoch: feed.epoch, sequence: 5, time: clock.now(), offsets: [] }) });
  expect(sequenceOf(courier.takeMovedPosition(0)?.cursor)).toBe(5);
});

test('there is no lag while the changes do not match, and one while matching changes cannot be read', async () => {
  await start({ filter: { states: ['OR'] } });
  feed.append('CA');
  await clock.advance(MINUTE);
  expect(courier.lagMs).toBe(0);
  feed.failure = new KafkaUnavailableError('no broker');
  feed.append('OR');
  await clock.advance(MINUTE);
  expect([attempts.length, courier.lagMs >= MINUTE]).toEqual([0, true]);
});

test('the lag is the time for which the receiver has lacked a change', async () => {
  await start();
  await clock.advance(MINUTE);
  expect(courier.lagMs).toBe(0);
  feed.append();
  await settle();
  await clock.advance(MINUTE);
  expect(courier.lagMs).toBeGreaterThanOrEqual(MINUTE);
  await attempts[0]?.end('delivered');
  expect(courier.lagMs).toBe(0);
});

describe('a courier that ends', () => {
  test('waits for its attempt under way, and begins no other', async () => {
    await start({}, 1);
    feed.append('CA');
    const stopping = courier.stop();
    await settle();
    expect(courier.isFinished).toBe(false);
    await attempts[0]?.end('delivered');
    await stopping;
    expect([recorded.length, attempts.length, courier.isFinished]).toEqual([1, 1, true]);
  });

  test('because its webhook may be somebody else’s ends its attempt at once, and reports nothing', async () => {
    await start({}, 1);
    lost.abort();
    await settle();
    expect([courier.isFinished, recorded.length, lines.length]).toEqual([true, 0, 0]);
  });

  test('does not wait for a database that does not record its attempt, which is an outage, not a defect', async () => {
    await start({}, 1);
    takes = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const { wait } = clock;
    clock.wait = (...given) => {
      if (recorded.length > 5) takes = true;
      return wait(...given);
    };
    await attempts[0]?.end('delivered');
    await courier.stop();
    expect([recorded.length, lines.map(({ level }) => level)]).toEqual([2, ['warn']]);
  });

  test('does not wait for the time of its next attempt', async () => {
    await start({}, 1);
    await attempts[0]?.end('refused');
    await courier.stop();
    expect([courier.isFinished, attempts.length]).toEqual([true, 1]);
  });
});
