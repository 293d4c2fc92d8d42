import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { generateMessageId, generateWebhookSecret, signMessage } from '../../schemas/webhook-signature.ts';

const body = Buffer.from('{"type":"webhook.test","text":"¡Sí!"}');
const now = () => Math.floor(Date.now() / 1000);

test('the library of the Standard Webhooks specification verifies a signature, and no other body or time', () => {
  const secret = generateWebhookSecret();
  const id = generateMessageId();
  const timestamp = now();
  const headers = signMessage({ id, timestamp, body }, [secret]);
  const receiver = new Webhook(secret);
  expect(receiver.verify(body, headers)).toEqual(JSON.parse(String(body)));
  expect(receiver.sign(id, new Date(timestamp * 1000), String(body))).toBe(headers['webhook-signature']);
  expect(() => receiver.verify(Buffer.from('{}'), headers)).toThrow('signature');
  const later = { ...headers, 'webhook-timestamp': String(timestamp + 1) };
  expect(() => receiver.verify(body, later)).toThrow('signature');
});

test('with two secrets, receivers with either of them accept a message, and others do not', () => {
  const [present, previous, other] = [1, 2, 3].map(() => generateWebhookSecret()) as [string, string, string];
  const headers = signMessage({ id: 'msg_1', timestamp: now(), body }, [present, previous]);
  for (const secret of [present, previous]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
  expect(() => new Webhook(other).verify(body, headers)).toThrow('signature');
});

test('secrets and ids are new each time, in the forms of the specification', () => {
  expect(generateWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(generateWebhookSecret()).not.toBe(generateWebhookSecret());
  expect(generateMessageId()).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(generateMessageId()).not.toBe(generateMessageId());
});
