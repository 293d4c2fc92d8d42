import { expect, test } from '@jest/globals';
import { AttemptMaker } from '../../../consumers/deliver/attempts.ts';
import { createLog } from '../../../service/log.ts';
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
  // The present one comes first.
  await make(null);
  expect(signatures[1]?.split(' ')[0]).not.toBe(signatures[1]?.split(' ')[1]);
});
