/** Verifies messages to webhooks, by the Standard Webhooks specification. It needs Web Crypto: Node 20, Deno, Bun, workers. */
import { BallotEndorsementsError } from './errors.ts';
import type { components } from './generated/openapi.ts';

/** Changes of endorsements, in order. Store `data.cursor` with them, to continue with `events` or `stream`. */
export type EndorsementsChanged = components['schemas']['EndorsementsChanged'];
/** A message that was sent on request. */
export type WebhookTest = components['schemas']['WebhookTest'];
/** A message to a webhook. */
export type WebhookMessage = EndorsementsChanged | WebhookTest;

/** The message is not from the service, or too old to be accepted. Answer with 401. */
export class WebhookVerificationError extends BallotEndorsementsError {
  override name = 'WebhookVerificationError';
}

/** A message as it came. */
export interface ReceivedWebhook {
  /** The body, byte for byte, before any parsing. */
  body: string | Uint8Array;
  /** Of a Request, or of Node's IncomingMessage. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface VerifyWebhookOptions {
  /** The largest difference between the clocks, in seconds; 300 by default. Older messages may be repeated by others. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; by default this machine's clock. */
  now?: () => number;
}

/** A verified message. All attempts to deliver it have the same id. */
export interface VerifiedWebhook {
  id: string;
  message: WebhookMessage;
}

/** Not every runtime's types have a name for it. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const SECRET_PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;

/**
 * Verifies and parses a message to a webhook.
 *
 * @param secret the secret of the webhook, or several: any of them may have signed
 * @throws WebhookVerificationError if no secret has signed it, or its time is too far from now
 * @throws TypeError if a secret is malformed
 */
export async function verifyWebhook(
  { body, headers }: ReceivedWebhook,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyWebhookOptions = {},
): Promise<VerifiedWebhook> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature');
  if (!/^[0-9]{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('webhook-timestamp is not a time.');
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError(
      `webhook-timestamp is more than ${toleranceSeconds} seconds from this machine's clock.`,
    );
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const text of typeof secret === 'string' ? [secret] : secret) {
    const key = await importSecret(text);
    for (const signature of signatures.split(' ')) {
      if (await isSignedBy(key, signature, signed)) return { id, message: parse(bytes) };
    }
  }
  throw new WebhookVerificationError('No signature of the message is right for the secret.');
}

function readHeader(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

async function importSecret(secret: string): Promise<Key> {
  const bytes = secret.startsWith(SECRET_PREFIX) ? decodeBase64(secret.slice(SECRET_PREFIX.length)) : null;
  if (!bytes || bytes.length === 0) throw new TypeError('The secret of a webhook has the form whsec_….');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Web Crypto compares in constant time. */
async function isSignedBy(key: Key, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const digest = signature.startsWith('v1,') ? decodeBase64(signature.slice('v1,'.length)) : null;
  return digest !== null && crypto.subtle.verify('HMAC', key, digest, signed);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
}

function parse(bytes: Uint8Array): WebhookMessage {
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage;
}
