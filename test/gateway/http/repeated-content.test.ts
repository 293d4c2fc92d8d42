import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { Encoding } from '../../../gateway/http/compression.ts';
import { encodeContent } from '../../../gateway/http/content.ts';
import { RepeatedContent } from '../../../gateway/http/repeated-content.ts';

const TEXT = 'Ballot measures are endorsed by newspapers. '.repeat(1000);

const DECODERS: Record<Encoding, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};

test.each(Object.keys(DECODERS) as Encoding[])('is the same content in %s', async (encoding) => {
  const encoded = await RepeatedContent.copyOf(encodeContent(TEXT)).encode(encoding);
  expect(encoded.length).toBeLessThan(TEXT.length / 10);
  expect(DECODERS[encoding](encoded).toString()).toBe(TEXT);
});

test('each encoding is made once, even for simultaneous requests', async () => {
  const content = RepeatedContent.copyOf(encodeContent(TEXT));
  const [first, second] = await Promise.all([content.encode('gzip'), content.encode('gzip')]);
  expect(second).toBe(first);
  expect(await content.encode('gzip')).toBe(first);
});

test('counts the memory of each encoding, which has only its bytes', async () => {
  const sizes: number[] = [];
  const content = RepeatedContent.copyOf(encodeContent(TEXT), () => sizes.push(content.memoryBytes));
  expect(content.memoryBytes).toBe(TEXT.length);
  const gzip = await content.encode('gzip');
  const br = await content.encode('br');
  await content.encode('gzip');
  expect(sizes).toEqual([TEXT.length + gzip.length, TEXT.length + gzip.length + br.length]);
  for (const encoded of [gzip, br]) expect(encoded.buffer.byteLength).toBe(encoded.length);
});

test('does not change when its source bytes change', () => {
  const bytes = Buffer.from(TEXT);
  const content = RepeatedContent.copyOf(encodeContent(bytes));
  bytes.fill(0);
  expect(content.pieces[0].toString()).toBe(TEXT);
});
