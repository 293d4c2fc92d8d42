import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { OperatorError } from '../../service/operator-error.ts';
import { count } from '../table.ts';

/** The most files in an archive, and the most bytes of its feeds, unpacked. */
const MAX_ENTRIES = 1_000;
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3;

/** A feed within an archive. */
interface ZippedFeed {
  /** The name within the archive. */
  name: string;
  unpackedBytes: number;
  /** Unpacks it. @throws OperatorError if the archive is damaged */
  open(): AsyncIterable<Uint8Array>;
}

/** An open archive. */
export interface ZippedFeeds extends AsyncDisposable {
  feeds: ZippedFeed[];
  /** The names of other files, which are not read. */
  others: string[];
}

/**
 * Opens an archive of feeds: its files that end in .xml. The files that macOS adds are not feeds.
 *
 * @throws OperatorError if it is not such an archive, or if it has too many files or bytes
 */
export async function openZip(path: string): Promise<ZippedFeeds> {
  const zip = await openPromise(path, { autoClose: false }).catch((error: Error) => {
    throw refuse(path, error);
  });
  const close = async () => zip.close();
  try {
    return { ...(await listFeeds(path, zip)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error instanceof OperatorError ? error : refuse(path, error as Error);
  }
}

function refuse(name: string, error: Error): OperatorError {
  const reason = error.message.replace(/\.$/, '');
  return new OperatorError(`${name} cannot be unpacked: ${reason}. Fetch it again, or unpack it first.`, {
    cause: error,
  });
}

async function listFeeds(path: string, zip: ZipFile): Promise<Pick<ZippedFeeds, 'feeds' | 'others'>> {
  if (zip.entryCount > MAX_ENTRIES) {
    throw new OperatorError(
      `${path} has ${count(zip.entryCount)} files; an archive of feeds has at most ${count(MAX_ENTRIES)}.`,
    );
  }
  const feeds: ZippedFeed[] = [];
  const others: string[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    if (name.endsWith('/')) continue;
    if (!/\.xml$/i.test(name) || /(^|\/)(__MACOSX\/|\._)/.test(name)) {
      others.push(name);
      continue;
    }
    if (entry.isEncrypted()) throw new OperatorError(`${name} in ${path} is encrypted. Unpack it first.`);
    bytes += entry.uncompressedSize;
    if (bytes > MAX_UNPACKED_BYTES) {
      throw new OperatorError(
        `The feeds in ${path} have more than ${count(MAX_UNPACKED_BYTES)} bytes unpacked, which no feed has.`,
      );
    }
    const open = () => unpack(zip, entry, `${path}/${name}`);
    feeds.push({ name, unpackedBytes: entry.uncompressedSize, open });
  }
  if (feeds.length === 0) {
    const found = others.slice(0, 5).join(', ');
    throw new OperatorError(
      `${path} has no file that ends in .xml.${found === '' ? '' : ` It has ${found}.`}`,
    );
  }
  return { feeds: feeds.sort((a, b) => (a.name < b.name ? -1 : 1)), others };
}

/** Unpacks a file of an archive. Other bytes than the archive says, or more of them, end with an error. */
async function* unpack(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  try {
    let sum = 0;
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      sum = crc32(piece, sum);
      yield piece;
    }
    if (sum !== entry.crc32) throw new Error('its bytes do not have its checksum');
  } catch (error) {
    throw refuse(name, error as Error);
  }
}
