import { createHash } from 'node:crypto';
import { type Idempotency, IdempotencyKeyReusedError } from '../../store/access/idempotency.ts';
import { ApiError } from './api-error.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads the header Idempotency-Key of a request with this body. Returns null without the header.
 *
 * @throws ApiError invalid_parameter if the key is malformed
 */
export function readIdempotency(key: string | undefined, body: unknown): Idempotency | null {
  if (key === undefined) return null;
  if (!KEY.test(key)) {
    throw new ApiError(
      'invalid_parameter',
      'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
    );
  }
  return { key, requestHash: createHash('sha256').update(JSON.stringify(body)).digest() };
}

/** Turns the refusal of a used key into an ApiError. Other errors are returned unchanged. */
export function refuseUsedKey(error: unknown): unknown {
  if (!(error instanceof IdempotencyKeyReusedError)) return error;
  return new ApiError(
    'conflict',
    'This Idempotency-Key was used for a request with another body; use a new key.',
  );
}
