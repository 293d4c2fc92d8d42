import { createHmac, randomBytes, randomUUID } from 'node:crypto';

/* The headers of deliveries by the Standard Webhooks specification 1.0.0. */

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Generates a secret: 256 random bits, as receivers store it. */
export const generateWebhookSecret = (): string =>
  SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Generates the id of a message, which all attempts to deliver it carry. */
export const generateMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`;

export interface SignedMessage {
  id: string;
  /** When this attempt is made, in seconds since 1970. */
  timestamp: number;
  body: Buffer;
}

/** The headers that identify and sign an attempt, with a signature for each secret. */
export function signMessage(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
