/** Hashes texts: SHA-256 of their UTF-8, as hexadecimal digits. */
type HashTexts = (texts: readonly string[]) => Promise<string[]>;

/** The part of `node:crypto` used here, which Node, Deno and Bun have. */
interface NodeCrypto {
  hash?(algorithm: string, text: string, encoding: 'hex'): string;
  createHash(algorithm: string): { update(text: string): { digest(encoding: 'hex'): string } };
}

interface Runtime {
  process?: { getBuiltinModule?(name: string): NodeCrypto | undefined };
}

/** The fastest way: `node:crypto`, found at run time to spare browser bundlers, or else WebCrypto. */
export function chooseSha256(): HashTexts {
  const crypto = (globalThis as Runtime).process?.getBuiltinModule?.('node:crypto');
  if (!crypto) return hashByWebCrypto;
  const { hash } = crypto;
  const one = hash
    ? (text: string) => hash('sha256', text, 'hex')
    : (text: string) => crypto.createHash('sha256').update(text).digest('hex');
  return async (texts) => texts.map(one);
}

async function hashByWebCrypto(texts: readonly string[]): Promise<string[]> {
  const encoder = new TextEncoder();
  const digests = await Promise.all(
    texts.map((text) => globalThis.crypto.subtle.digest('SHA-256', encoder.encode(text))),
  );
  return digests.map((digest) =>
    [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  );
}
