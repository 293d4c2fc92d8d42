import type { Draft } from '../../../intake/catalogue/draft.ts';
import { Notes } from '../../../intake/catalogue/notes.ts';
import { mapFeed } from '../../../intake/vip/map-feed.ts';
import { readFeed } from '../../../intake/vip/read-feed.ts';

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** A file in pieces of so many bytes. */
export const pieces = (file: string | Uint8Array, length = 1_000): AsyncIterable<Uint8Array> =>
  inPieces(typeof file === 'string' ? Buffer.from(file) : file, length);

/** The records of a feed and what is noted about it. */
export async function mapText(file: string | Uint8Array): Promise<{ records: Draft[]; notes: Notes }> {
  const notes = new Notes();
  return { records: mapFeed(await readFeed(pieces(file)), notes), notes };
}
