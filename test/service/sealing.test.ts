import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSeal, SealBrokenError } from '../../service/sealing.ts';

const secretOf = (text: string) => ({ setting: 'THE_KEY', file: null, read: () => text });
const newSeal = () => createSeal(secretOf(randomBytes(32).toString('base64')));

describe('a sealed text', () => {
  const seal = newSeal();
  const sealed = seal.close('whsec_¡Sí!', 'account 1');

  test('is opened with its key and its purpose', () => {
    expect(seal.open(sealed, 'account 1')).toBe('whsec_¡Sí!');
    expect(sealed.includes('whsec')).toBe(false);
    expect(seal.close('whsec_¡Sí!', 'account 1')).not.toEqual(sealed);
  });

  test('is not opened with another key, for another purpose, altered or cut', () => {
    expect(() => newSeal().open(sealed, 'account 1')).toThrow(SealBrokenError);
    expect(() => seal.open(sealed, 'account 2')).toThrow(SealBrokenError);
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered[index] = (altered[index] as number) ^ 1;
      expect(() => seal.open(altered, 'account 1')).toThrow(SealBrokenError);
      expect(() => seal.open(sealed.subarray(0, index), 'account 1')).toThrow(SealBrokenError);
    }
  });
});

test.each(['', 'x', randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), 'f'.repeat(64)])(
  'the key "%s" is refused with the command that makes one',
  (text) => {
    expect(() => createSeal(secretOf(text))).toThrow(
      'THE_KEY must be 32 random bytes in base64, as "openssl rand -base64 32" makes them.',
    );
  },
);
