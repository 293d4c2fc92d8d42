import { open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { kindOfFile } from '../../administration/catalogue/file-kind.ts';
import { CATALOGUE_KINDS, type CatalogueKind } from '../../schemas/catalogue-files.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { findPath, requireFile } from '../find-path.ts';

/** How a file is written: lines of JSON, a table of choices or endorsers, or a feed, alone or in an archive. */
type FileFormat = 'ndjson' | 'table' | 'xml' | 'zip';

export interface CatalogueFile {
  format: FileFormat;
  /** The records of an NDJSON file or of a table of endorsers; null for other tables and feeds. */
  kind: CatalogueKind | null;
  /** The path from the command line, for messages. */
  path: string;
  bytes: number;
}

export interface FoundFiles {
  /** Sorted by kind and then by path, so that the order of the arguments does not matter. */
  files: CatalogueFile[];
  /** Skipped files and folders within the given folders. */
  notRead: string[];
}

const FILE_NAMES = CATALOGUE_KINDS.map((kind) => `${kind}.ndjson`);
const SUBMISSIONS_FILE = 'endorsements.ndjson';
/** The formats by the ends of names. */
const ENDS: readonly (readonly [string, FileFormat])[] = [
  ['.csv', 'table'],
  ['.tsv', 'table'],
  ['.xml', 'xml'],
  ['.zip', 'zip'],
];

/**
 * Finds the files to read. A folder stands for its catalogue files, and repeated files are read once.
 *
 * @throws OperatorError if a path does not exist, a folder has no catalogue file, a file is of an unknown kind, or a
 * table or feed is a pipe
 */
export async function findCatalogueFiles(paths: string[]): Promise<FoundFiles> {
  const found = new Map<string, CatalogueFile>();
  const notRead: string[] = [];
  for (const given of paths) {
    const info = await findPath(given);
    if (!info) throw new OperatorError(explainMissing(given));
    if (info.isDirectory()) {
      const entries = await readdir(given, { withFileTypes: true });
      const names = entries.map(({ name }) => name).sort();
      const folders = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
      const files = names.filter((name) => FILE_NAMES.includes(name) && !folders.has(name));
      if (files.length === 0) {
        const within = [...folders].sort().join(', ');
        const hint = folders.size > 0 ? ` Folders within it are not read; it has ${within}.` : '';
        throw new OperatorError(`The folder ${given} has none of the files ${FILE_NAMES.join(', ')}.${hint}`);
      }
      for (const name of files) await add(path.join(given, name));
      const others = names.filter(
        (name) => folders.has(name) || (isData(name) && !FILE_NAMES.includes(name)),
      );
      notRead.push(...others.map((name) => path.join(given, folders.has(name) ? `${name}/` : name)));
    } else {
      await add(given);
    }
  }

  async function add(file: string): Promise<void> {
    const kind = kindOfFile(file);
    const format = kind && file.endsWith('.ndjson') ? 'ndjson' : await recogniseFormat(file);
    if (!format) throw new OperatorError(unknownKind(file));
    const { size } = await stat(file);
    const real = await realpath(file);
    if (!found.has(real)) found.set(real, { format, kind, path: file, bytes: size });
  }

  const files = [...found].sort(
    ([a, { kind: kindA }], [b, { kind: kindB }]) => orderOf(kindA) - orderOf(kindB) || (a < b ? -1 : 1),
  );
  const skipped = await Promise.all(
    notRead.map(async (name) => (found.has(await realpath(name).catch(() => name)) ? [] : [name])),
  );
  return { files: files.map(([, file]) => file), notRead: skipped.flat() };
}

/** Whether a file is of a kind that an import reads, perhaps compressed, by the end of its name. */
const isData = (name: string): boolean => /\.(ndjson|csv|tsv|xml|zip)(\.gz)?$/i.test(name);

/** Tables and feeds come last. */
function orderOf(kind: CatalogueKind | null): number {
  return kind === null ? CATALOGUE_KINDS.length : CATALOGUE_KINDS.indexOf(kind);
}

/**
 * The format of a file by the end of its name, but by its first bytes if these are of XML or of an archive. A web page
 * under the name of a table stays one, whose reader says so.
 */
async function recogniseFormat(file: string): Promise<FileFormat | null> {
  const named = ENDS.find(([end]) => file.toLowerCase().endsWith(end))?.[1] ?? null;
  if (named === null) return null;
  // A file is read again after its first bytes, which a pipe does not allow.
  await requireFile(file);
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
  const start = buffer.subarray(0, bytesRead).toString('latin1').replaceAll('\0', '');
  if (start.startsWith('PK\x03\x04')) return named === 'table' ? named : 'zip';
  return (named === 'table' ? /^[^ -~]*\s*<(\?xml|VipObject)/ : /^[^ -~]*\s*<[?!A-Za-z]/).test(start)
    ? 'xml'
    : named;
}

function explainMissing(given: string): string {
  if (given !== '-') return `There is no file or folder ${given}.`;
  return 'Standard input cannot be imported, because only the name of a file says its kind: write a file first.';
}

function unknownKind(file: string): string {
  if (path.basename(file).endsWith(SUBMISSIONS_FILE)) {
    return `${file} holds endorsements, which "npm run ops -- submit ${file}" sends.`;
  }
  return `${file} is of an unknown kind: its name must end in ${[...FILE_NAMES, ...ENDS.map(([end]) => end)].join(', ')}.`;
}
