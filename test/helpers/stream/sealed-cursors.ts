import { crc32 } from 'node:zlib';

/** A text with the form and the checksum of a cursor, with any text before the payload and any payload. */
export function sealCursor(head: string, payload: readonly number[]): string {
  const bytes = Buffer.alloc(payload.length + 4);
  bytes.set(payload);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, payload.length), crc32(head)), payload.length);
  return `${head}.${bytes.toString('base64url')}`;
}

/** A text with the form and the checksum of a list's next_cursor, with any content. */
export function sealPageCursor(content: string | Uint8Array): string {
  const text = Buffer.from(content as string).toString('base64url');
  return `${text}.${crc32(text).toString(32).padStart(7, '0')}`;
}
