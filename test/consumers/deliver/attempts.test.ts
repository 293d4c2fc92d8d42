import { expect, test } from '@jest/globals';
import { AttemptMaker } from '../../../consumers/deliver/attempts.ts';
import type { Sender } from '../../../consumers/deliver/send.ts';
import { createLog } from '../../../service/log.ts';
import { SealBrokenError } from '../../../service/sealing.ts';
import { sealPurpose } from '../../../service/webhook-settings.ts';
import type { LoadedWebhook } from '../../../store/webhooks/leases.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const { signal } = new AbortController();

test('the previous secret signs beside the present one, at each attempt until its time', async () => {
  const clock = new ManualClock();
  const signatures: string[] = [];
  const attempts = new AttemptMaker({
    sender: {
      async send({ headers }) {
        signatures.push(headers['webhook-signature'] ?? '');
        return { outcome: 'refused', status: 500, retryAfterMs: null, answer: '' };
      },
      close() {},
    },
    seal: { open: (sealed) => `whsec_${sealed.toString('base64')}`, close: (text) => Buffer.from(text) },
    untilLeased: async () => {},
    ...{ clock, log: createLog('test', 'silent') },
  });
  const [secret, previousSecret] = [Buffer.alloc(24, 1), Buffer.alloc(24, 2)];
  const webhook = { id: 1, accountId: 1, url: 'https://a.example/', secret, previousSecret };
  const make = (previousSecretUntil: number | null) =>
    attempts.make(
      { ...webhook, previousSecretUntil } as LoadedWebhook,
      { messageId: 'msg_1', body: Buffer.from('{}'), events: 1 },
      signal,
    );
  const until = clock.now() + 1000;
  await make(until);
  await clock.advance(999);
  await make(until);
  await clock.advance(1);
  await make(until);
  await make(null);
  expect(signatures.map((text) => text.split(' ').length)).toEqual([2, 2, 1, 1]);
  // The present one comes first, whose signature is that of an attempt at the same time with it alone.
  await make(until + 1);
  const [both = '', alone] = [signatures.at(-1), signatures.at(-2)];
  expect(both.split(' ')[0]).toBe(alone);
  expect(both.split(' ')[1]).not.toBe(alone);
});

test('a secret that was rotated because the key of the seal is lost signs alone', async () => {
  const signatures: (string | undefined)[] = [];
  const send: Sender['send'] = async ({ headers }) => {
    signatures.push(headers['webhook-signature']);
    return DELIVERED;
  };
  const open = (sealed: Buffer) => {
    if (sealed.toString() === 'of the lost key') throw new SealBrokenError();
    return 'whsec_AAAA';
  };
  const { clock, make } = await makeOne({ send, open });
  const rotated = {
    previousSecret: Buffer.from('of the lost key'),
    previousSecretUntil: clock.now() + 1000,
  };
  expect((await make(1, rotated)).outcome).toBe('delivered');
  expect((await make(1)).outcome).toBe('delivered');
  expect(signatures[0]).toBe(signatures[1]);
});

/** Makes an attempt with a sender and a seal of the test. */
async function makeOne({
  send,
  open,
  untilLeased = async () => {},
}: {
  send?: Sender['send'];
  open?: (sealed: Buffer, purpose: string) => string;
  untilLeased?: () => Promise<void>;
}) {
  const clock = new ManualClock(1_700_000_000_900);
  const attempts = new AttemptMaker({
    sender: { send: send ?? (async () => DELIVERED), close() {} },
    seal: { open: open ?? (() => 'whsec_AAAA'), close: (text) => Buffer.from(text) },
    ...{ untilLeased, clock, log: createLog('test', 'silent') },
  });
  const webhook = {
    ...{ id: 1, accountId: 7, url: 'https://a.example/x', secret: Buffer.from('s'), previousSecret: null },
    previousSecretUntil: null,
  } as LoadedWebhook;
  const make = (events: number, more: Partial<LoadedWebhook> = {}) =>
    attempts.make(
      { ...webhook, ...more } as LoadedWebhook,
      { messageId: 'msg_1', body: Buffer.from('{"é":1}'), events },
      signal,
    );
  return { clock, make };
}
const DELIVERED = { outcome: 'delivered', status: 204, retryAfterMs: null, answer: '' } as const;

test('an attempt is signed for its second, and recorded with its time, its size and the answer', async () => {
  const sent: Parameters<Sender['send']>[0][] = [];
  const { clock, make } = await makeOne({
    send: async (outgoing) => {
      sent.push(outgoing);
      return { outcome: 'refused', status: 503, retryAfterMs: 5000, answer: 'later' };
    },
  });
  const [first, second] = [await make(3), await make(0)];
  expect(first).toMatchObject({
    ...{ messageId: 'msg_1', isTest: false, events: 3, bytes: 8, attemptedAt: clock.now() },
    ...{ outcome: 'refused', status: 503, retryAfterMs: 5000, answer: 'later' },
  });
  expect(second).toMatchObject({ isTest: true, events: 0 });
  expect(first.attemptId).not.toBe(second.attemptId);
  expect(sent[0]).toMatchObject({
    ...{ url: 'https://a.example/x', body: Buffer.from('{"é":1}'), signal },
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000' },
  });
});

test('a secret is opened for its account; one that cannot be opened makes a failed attempt, and other errors none', async () => {
  const purposes: string[] = [];
  const opened = await makeOne({
    open: (_, purpose) => {
      purposes.push(purpose);
      return 'whsec_AAAA';
    },
  });
  await opened.make(1);
  expect(purposes).toEqual([sealPurpose(7)]);
  const broken = await makeOne({
    open: () => {
      throw new SealBrokenError();
    },
  });
  expect(await broken.make(1)).toMatchObject({ outcome: 'not_signed', status: null, answer: '' });
  const defect = await makeOne({ send: () => Promise.reject(new Error('defect')) });
  await expect(defect.make(1)).rejects.toThrow('defect');
});

test('nothing is sent before the process holds its webhooks for long enough', async () => {
  let hasSent = false;
  const { make } = await makeOne({
    untilLeased: () => Promise.reject(new Error('lost')),
    send: async () => {
      hasSent = true;
      return DELIVERED;
    },
  });
  await expect(make(1)).rejects.toThrow('lost');
  expect(hasSent).toBe(false);
  // The attempt begins after the wait.
  const leased = Promise.withResolvers<void>();
  const waiting = await makeOne({ untilLeased: () => leased.promise });
  const making = waiting.make(1);
  await waiting.clock.advance(5000);
  leased.resolve();
  expect((await making).attemptedAt).toBe(waiting.clock.now());
});
