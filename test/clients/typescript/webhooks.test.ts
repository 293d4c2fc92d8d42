import { describe, expect, test } from '@jest/globals';
import { verifyWebhook, WebhookVerificationError } from '../../../clients/typescript/src/webhooks.ts';
import { generateMessageId, generateWebhookSecret, signMessage } from '../../../schemas/webhook-signature.ts';

const text = JSON.stringify({
  type: 'webhook.test',
  timestamp: '2026-11-03T08:00:00Z',
  data: { webhook_id: 7 },
  é: 'í',
});
const body = Buffer.from(text);
const NOW = Date.parse('2026-11-03T08:00:00Z');
const now = () => NOW;
const secret = generateWebhookSecret();
const id = generateMessageId();
const sign = (secrets: string[], seconds = NOW / 1000) =>
  signMessage({ id, timestamp: seconds, body }, secrets);

describe('a message that the service has signed', () => {
  test.each([
    ['text and the headers of Node', { body: text, headers: sign([secret]) }],
    ['bytes and the headers of a request', { body, headers: new Headers(sign([secret])) }],
  ])('is verified and parsed, with %s', async (_, received) => {
    expect(await verifyWebhook(received, secret, { now })).toEqual({ id, message: JSON.parse(text) });
  });

  test('is verified during a rotation, with either secret on either side', async () => {
    const other = generateWebhookSecret();
    const rotating = { body, headers: sign([other, secret]) };
    for (const given of [secret, other, [other, secret], [generateWebhookSecret(), secret]]) {
      expect((await verifyWebhook(rotating, given, { now })).id).toBe(id);
    }
    expect((await verifyWebhook({ body, headers: sign([secret]) }, [other, secret], { now })).id).toBe(id);
  });
});

describe('a message is refused', () => {
  const headers = sign([secret]);
  test.each<[string, object]>([
    ['with another body', { body: `${text} `, headers }],
    ['with another id', { body, headers: { ...headers, 'webhook-id': 'msg_2' } }],
    ['with another time', { body, headers: { ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) } }],
    ['with a time that cannot be read', { body, headers: { ...headers, 'webhook-timestamp': 'now' } }],
    ['without a signature', { body, headers: { ...headers, 'webhook-signature': undefined } }],
    [
      'with a signature of another version',
      { body, headers: { ...headers, 'webhook-signature': 'v2,AAAA' } },
    ],
    [
      'with the right signature under the name of another version',
      {
        body,
        headers: { ...headers, 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') },
      },
    ],
    [
      'with several headers of signatures',
      { body, headers: { ...headers, 'webhook-signature': [headers['webhook-signature']] } },
    ],
    ['with a signature that is not base64', { body, headers: { ...headers, 'webhook-signature': 'v1,%%%' } }],
    ['that another secret has signed', { body, headers: sign([generateWebhookSecret()]) }],
    ['that is older than five minutes', { body, headers: sign([secret], NOW / 1000 - 301) }],
    ['that is from the future', { body, headers: sign([secret], NOW / 1000 + 301) }],
  ])('%s', async (_, received) => {
    const verified = verifyWebhook(received as Parameters<typeof verifyWebhook>[0], secret, { now });
    await expect(verified).rejects.toThrow(WebhookVerificationError);
  });

  test.each([-300, 300])('but not with a clock that differs by %i seconds', async (seconds) => {
    const received = { body, headers: sign([secret], NOW / 1000 + seconds) };
    expect((await verifyWebhook(received, secret, { now })).id).toBe(id);
  });

  test("by this machine's clock, if no other is given", async () => {
    const headersAt = (ms: number) => ({ body, headers: sign([secret], Math.floor(ms / 1000)) });
    expect((await verifyWebhook(headersAt(Date.now()), secret)).id).toBe(id);
    await expect(verifyWebhook(headersAt(Date.now() - 400_000), secret)).rejects.toThrow(
      WebhookVerificationError,
    );
  });

  test('unless the tolerance is larger', async () => {
    const received = { body, headers: sign([secret], NOW / 1000 - 3600) };
    expect((await verifyWebhook(received, secret, { now, toleranceSeconds: 3600 })).id).toBe(id);
  });
});

test.each(['', 'x', 'whsec_', 'whsec_%', secret.replace('whsec_', 'wrong_')])(
  'the secret "%s" is malformed',
  async (wrong) => {
    await expect(verifyWebhook({ body, headers: sign([secret]) }, wrong, { now })).rejects.toThrow(TypeError);
  },
);
