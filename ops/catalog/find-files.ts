import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CATALOGUE_KINDS, type CatalogueKind } from '../../schemas/catalogue-files.ts';
import { OperatorError } from '../../service/operator-error.ts';

export interface CatalogueFile {
  kind: CatalogueKind;
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

/** The end of a file's name gives its kind: `undated-elections.ndjson` is an elections file. */
export function kindOfFile(file: string): CatalogueKind | null {
  const name = path.basename(file);
  return CATALOGUE_KINDS.find((kind) => new RegExp(`(^|[^a-z0-9])${kind}\\.ndjson$`).test(name)) ?? null;
}

/**
 * Finds the files to read. A folder stands for its catalogue files, and repeated files are read once.
 *
 * @throws OperatorError if a path does not exist, a folder has no catalogue file, or a file is of an unknown kind
 */
export async function findCatalogueFiles(paths: string[]): Promise<FoundFiles> {
  const found = new Map<string, CatalogueFile>();
  const notRead: string[] = [];
  for (const given of paths) {
    const info = await stat(given).catch(() => null);
    if (!info) throw new OperatorError(`There is no file or folder ${given}.`);
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
        (name) => folders.has(name) || (name.endsWith('.ndjson') && !FILE_NAMES.includes(name)),
      );
      notRead.push(...others.map((name) => path.join(given, folders.has(name) ? `${name}/` : name)));
    } else {
      await add(given);
    }
  }

  async function add(file: string): Promise<void> {
    const kind = kindOfFile(file);
    if (!kind) throw new OperatorError(unknownKind(file));
    const { size } = await stat(file);
    const real = await realpath(file);
    if (!found.has(real)) found.set(real, { kind, path: file, bytes: size });
  }

  const files = [...found].sort(
    ([a, { kind: kindA }], [b, { kind: kindB }]) =>
      CATALOGUE_KINDS.indexOf(kindA) - CATALOGUE_KINDS.indexOf(kindB) || (a < b ? -1 : 1),
  );
  return { files: files.map(([, file]) => file), notRead };
}

function unknownKind(file: string): string {
  if (path.basename(file).endsWith(SUBMISSIONS_FILE)) {
    return `${file} holds endorsements, which "npm run ops -- submit ${file}" sends.`;
  }
  return `${file} is of an unknown kind: its name must end in ${FILE_NAMES.join(', ')}.`;
}
