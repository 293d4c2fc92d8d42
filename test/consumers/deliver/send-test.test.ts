import { beforeEach, expect, test } from '@jest/globals';
import type { CourierServices } from '../../../consumers/deliver/courier.ts';
import { sendTest } from '../../../consumers/deliver/send-test.ts';
import { Turns } from '../../../consumers/deliver/turns.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const WEBHOOK = { id: 7, accountId: 3, url: 'https://a.example/x', revision: 4 };
const MADE = { attemptId: 'a', messageId: 'msg_t', outcome: 'delivered', retryAfterMs: 5 };

let turns: Turns;
/** The webhooks that the process holds. */
let held: object[];
let make: (message: { body: Buffer }) => Promise<object>;
let recorded: object[];
let lines: { msg: string }[];
let lost: AbortController;

beforeEach(() => {
  [turns, held, recorded, lost] = [new Turns(), [WEBHOOK], [], new AbortController()];
  make = async () => MADE;
});

async function send(): Promise<void> {
  const captured = captureLog();
  lines = captured.lines;
  const services = {
    ...{ turns, delivererId: 'd', clock: new ManualClock(), log: captured.log },
    pool: { query: async () => ({ rows: held }) },
    attempts: { make: (_: unknown, message: { body: Buffer }) => make(message) },
    records: { add: async (item: object) => recorded.push(item) },
  };
  await sendTest({ id: 7, messageId: 'msg_t' }, services as unknown as CourierServices, lost.signal);
}

test('a test is sent in a turn of its receiver, and recorded without changing the state of its webhook', async () => {
  const sent: object[] = [];
  make = async (message) => {
    sent.push({ ...message, body: JSON.parse(message.body.toString()), running: turns.running });
    return MADE;
  };
  await send();
  expect(sent).toEqual([
    {
      ...{ messageId: 'msg_t', events: 0, running: 1 },
      body: { type: 'webhook.test', timestamp: '2026-11-03T12:00:00.000Z', data: { webhook_id: 7 } },
    },
  ]);
  const { retryAfterMs: _, ...made } = MADE;
  expect(recorded).toEqual([{ id: 7, revision: 4, ...made, after: null }]);
  expect([turns.running, lines]).toEqual([0, []]);
});

test('a webhook that the process does not hold any more gets no test', async () => {
  held = [];
  await send();
  expect([recorded, turns.running, lines]).toEqual([[], 0, []]);
});

test('a test that fails gives its turn back, and is told unless the webhook was lost', async () => {
  make = () => Promise.reject(new Error('defect'));
  await send();
  expect([recorded, turns.running, lines.map(({ msg }) => msg)]).toEqual([
    ...[[], 0, [expect.stringContaining('a test of a webhook failed; trying again')]],
  ]);
  make = async () => {
    lost.abort();
    throw new Error('lost');
  };
  await send();
  expect([recorded, turns.running, lines]).toEqual([[], 0, []]);
  await send();
  expect([recorded, turns.running]).toEqual([[], 0]);
});

test('a test waits for a turn beside the messages of its account', async () => {
  const others = Array.from({ length: 4 }, () =>
    turns.take({ host: 'b.example', accountId: 3, isSlow: false }, lost.signal),
  );
  const ends = await Promise.all(others);
  const sending = send();
  await new Promise(setImmediate);
  expect([recorded.length, turns.waiting]).toEqual([0, 1]);
  ends[0]?.();
  await sending;
  expect([recorded.length, turns.running]).toEqual([1, 3]);
});

test('a test that waits for its turn is not sent to an address that was replaced or deleted meanwhile', async () => {
  for (const meanwhile of [[], [{ ...WEBHOOK, url: 'https://b.example/y', revision: 5 }]]) {
    held = [WEBHOOK];
    turns = new Turns();
    const others = Array.from({ length: 4 }, () =>
      turns.take({ host: 'b.example', accountId: 3, isSlow: false }, lost.signal),
    );
    const ends = await Promise.all(others);
    const sending = send();
    await new Promise(setImmediate);
    held = meanwhile;
    ends[0]?.();
    await sending;
    expect([recorded, turns.running, lines]).toEqual([[], 3, []]);
  }
});
