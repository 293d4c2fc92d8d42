import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SettingError } from './environment.ts';
import type { Secret } from './secret.ts';

/*
 * Texts that the database may hold but not read: AES-256-GCM with a key from the environment. A sealed text is a
 * version, a nonce, the encrypted text and its tag. It is bound to a purpose, so that it cannot be moved elsewhere.
 */
const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The sealed text was altered, moved, or sealed with another key. */
export class SealBrokenError extends Error {
  override name = 'SealBrokenError';
}

/** Seals and opens texts with one key. */
export interface Seal {
  /** @param purpose names the use of the text; opening it needs the same */
  close(text: string, purpose: string): Buffer;
  /** @throws SealBrokenError */
  open(sealed: Buffer, purpose: string): string;
}

/** A seal with the key in a secret, which is read at every use. @throws SettingError if it is not 32 bytes in base64 */
export function createSeal(secret: Secret): Seal {
  const readKey = () => {
    const text = secret.read();
    const key = Buffer.from(text, 'base64');
    if (key.length === KEY_BYTES && /^[A-Za-z0-9+/]{43}=?$/.test(text)) return key;
    throw new SettingError(
      `${secret.setting} must be 32 random bytes in base64, as "openssl rand -base64 32" makes them.`,
    );
  };
  readKey();
  return {
    close(text, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, readKey(), nonce).setAAD(Buffer.from(purpose));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), nonce, ...encrypted, cipher.getAuthTag()]);
    },
    open(sealed, purpose) {
      try {
        if (sealed[0] !== VERSION) throw new Error(`version ${sealed[0]}`);
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
        const tag = sealed.subarray(-TAG_BYTES);
        const decipher = createDecipheriv(CIPHER, readKey(), nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(purpose))
          .setAuthTag(tag);
        const encrypted = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
        return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        const message = `A sealed text of ${purpose} cannot be opened with ${secret.setting}.`;
        throw new SealBrokenError(message, { cause });
      }
    },
  };
}
