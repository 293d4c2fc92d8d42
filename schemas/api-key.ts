import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * An API key is "bes_", 32 random base62 characters, and 6 characters of checksum over the rest. The checksum reveals
 * mistyped keys without a look-up, and the form lets secret scanners find leaked keys.
 */
const PREFIX = 'bes_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** Generates the text of a new key, from 190 bits of cryptographic randomness. */
export function generateApiKey(): string {
  let text = PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i += 1) text += ALPHABET.charAt(randomInt(ALPHABET.length));
  return text + checksum(text);
}

/** Whether a text has the form of a key and the right checksum. */
export function isWellFormedApiKey(text: string): boolean {
  return FORM.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/**
 * The SHA-256 of a key as 32 latin1 characters, which crypto calls binary. Every request needs it, and a
 * string costs a third of a Buffer.
 */
export function digestApiKey(text: string): string {
  return hash('sha256', text, 'binary');
}

/** The SHA-256 of a key as 32 bytes: the stored form. */
export function hashApiKey(text: string): Buffer {
  return Buffer.from(digestApiKey(text), 'latin1');
}
