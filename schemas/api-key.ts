import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * An API key is "bes_", 32 random base62 characters, and 6 characters of checksum over what comes before, so that a
 * mistyped key is known without a look-up, and a leaked one is found by secret scanners.
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

/** A new key's text, from 190 bits of cryptographic randomness. */
export function generateApiKey(): string {
  let text = PREFIX;
  for (let i = 0; i < RANDOM_LENGTH; i += 1) text += ALPHABET.charAt(randomInt(ALPHABET.length));
  return text + checksum(text);
}

/** Whether a text has the form of a key and its checksum is right. */
export function isWellFormedApiKey(text: string): boolean {
  return FORM.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)));
}

/**
 * The SHA-256 of a key as 32 characters of latin1 (which crypto calls binary). Where it is needed at every request, a
 * string costs a third of what a Buffer does.
 */
export function digestApiKey(text: string): string {
  return hash('sha256', text, 'binary');
}

/** What is stored of a key: 32 bytes of SHA-256. */
export function hashApiKey(text: string): Buffer {
  return Buffer.from(digestApiKey(text), 'latin1');
}
