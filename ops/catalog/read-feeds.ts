import { createHash } from 'node:crypto';
import { checkDraft } from '../../administration/catalogue/check-record.ts';
import type { ReadingNotes } from '../../administration/catalogue/reading-notes.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { Draft } from '../../intake/catalogue/draft.ts';
import { FeedError } from '../../intake/vip/feed-error.ts';
import { mapFeed } from '../../intake/vip/map-feed.ts';
import { type Feed, readFeed } from '../../intake/vip/read-feed.ts';
import type { ElectionType } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { countBytes, readBytes } from './count-bytes.ts';
import type { CatalogueFile } from './find-files.ts';
import { openZip } from './zip.ts';

export interface FeedOptions {
  electionType: ElectionType | null;
  onBytes: (count: number) => void;
}

/** Reads feeds one after another. Contests that several county feeds share are taken from the first. */
export class FeedReader {
  /** The hashes of records by kind and key. */
  readonly #seen = new Map<string, string>();
  readonly #refusals: RefusalList;
  readonly #found: ReadingNotes;
  readonly #options: FeedOptions;

  constructor(refusals: RefusalList, found: ReadingNotes, options: FeedOptions) {
    this.#refusals = refusals;
    this.#found = found;
    this.#options = options;
  }

  /** Reads a feed, or an archive of feeds. @throws OperatorError if it cannot be used, with its name and the reason */
  async *read(file: CatalogueFile, format: 'xml' | 'zip'): AsyncGenerator<StagedLine> {
    if (format === 'xml') {
      yield* this.#readOne(file.path, readBytes(file.path, this.#options.onBytes));
      return;
    }
    await using archive = await openZip(file.path);
    for (const name of archive.others) this.#found.notes.add('left out', 'files that are not feeds', name);
    const unpacked = archive.feeds.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0);
    const share = unpacked === 0 ? 0 : file.bytes / unpacked;
    for (const feed of archive.feeds) {
      const name = `${file.path}/${feed.name}`;
      yield* this.#readOne(name, countBytes(feed.open(), this.#options.onBytes, share));
    }
  }

  async *#readOne(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StagedLine> {
    const feed = await readFeed(bytes).catch((error) => fail(name, error));
    this.#found.facts.push({ label: name, value: `Voting Information Project, version ${feed.version}` });
    for (const record of this.#map(name, feed))
      if (this.#isNew(record)) yield checkDraft(name, record, this.#refusals);
  }

  #map(name: string, feed: Feed): Draft[] {
    try {
      return mapFeed(feed, this.#found.notes, this.#options);
    } catch (error) {
      return fail(name, error);
    }
  }

  /** Whether no earlier feed has the record. Its place on the ballot and the order of its choices differ by county. */
  #isNew({ kind, record, problems }: Draft): boolean {
    if (problems.length > 0) return true;
    const name = `${kind} ${'key' in record ? record.key : record.slug}`;
    const { ballot_order: _, ...rest } = record as { ballot_order?: number };
    const choices = 'choices' in record ? record.choices.toSorted((a, b) => (a.key < b.key ? -1 : 1)) : [];
    const hash = createHash('sha256')
      .update(JSON.stringify({ ...rest, choices }))
      .digest('base64');
    const known = this.#seen.get(name);
    this.#seen.set(name, known ?? hash);
    if (known !== hash) return true;
    this.#found.notes.add('left out', `${kind} that an earlier feed of the import has too`, record.slug);
    return false;
  }
}

function fail(name: string, error: unknown): never {
  if (error instanceof FeedError) throw new OperatorError(`${name}: ${error.message}`, { cause: error });
  throw error;
}
