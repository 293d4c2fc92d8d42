import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../service/operator-error.ts';
import { findPath } from '../find-path.ts';

/** The folders of a state with people in office; other folders contain former officeholders and committees. */
const FOLDERS = ['legislature', 'executive', 'municipalities'] as const;
export type Folder = (typeof FOLDERS)[number];

export interface PersonFile {
  path: string;
  /** The state's folder: `ca`, or `us` for the nation. */
  place: string;
  folder: Folder;
}

export interface FoundPeople {
  files: PersonFile[];
  /** The existing state folders: the states in this checkout. */
  places: string[];
}

async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/**
 * Finds the files of people in office in a checkout of the Open States people repository.
 *
 * @param dir the checkout, or its folder `data`
 * @throws OperatorError if it is neither
 */
export async function findPersonFiles(dir: string): Promise<FoundPeople> {
  const info = await findPath(dir);
  if (!info?.isDirectory()) throw new OperatorError(`There is no folder ${dir}.`);
  const names = await foldersIn(dir);
  const root = names.includes('data') ? path.join(dir, 'data') : dir;
  const found: FoundPeople = { files: [], places: [] };
  for (const place of await foldersIn(root)) {
    if (!/^[a-z]{2}$/.test(place)) continue;
    const files = await filesOfPlace(root, place);
    if (files === null) continue;
    found.places.push(place);
    found.files.push(...files);
  }
  if (found.files.length === 0) {
    throw new OperatorError(
      `The folder ${dir} is not a checkout of the Open States people repository: it has no files data/<state>/<${FOLDERS.join(', ')}>/*.yml.`,
    );
  }
  return found;
}

/** The files of one state's folders; null if it has no such folder. */
async function filesOfPlace(root: string, place: string): Promise<PersonFile[] | null> {
  const present = await foldersIn(path.join(root, place));
  const folders = FOLDERS.filter((folder) => present.includes(folder));
  const files = folders.map(async (folder) => {
    const entries = await readdir(path.join(root, place, folder), { withFileTypes: true });
    return entries
      .filter((entry) => /\.ya?ml$/.test(entry.name) && !entry.isDirectory())
      .map(({ name }) => name)
      .sort()
      .map((name) => ({ path: path.join(root, place, folder, name), place, folder }));
  });
  return folders.length === 0 ? null : (await Promise.all(files)).flat();
}
