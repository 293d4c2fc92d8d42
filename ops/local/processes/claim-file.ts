/**
 * A file with the id of the one process that has claimed it. A claim is a hard link to a complete file: only one
 * process can make the link, and every claim contains its id.
 */
import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, writeFile } from 'node:fs/promises';

interface Claim {
  /** Null if the file holds no id. */
  pid: number | null;
  /** Differs for every claim of a file. */
  id: string;
}

/**
 * Claims a file for this process, also from a process that has ended.
 *
 * @param isAlive whether the process of a claim still has it
 * @returns null, or the id of the process that already has the claim
 * @throws Error of the file system
 */
export async function claimFile(
  file: string,
  isAlive: (pid: number) => Promise<boolean>,
): Promise<number | null> {
  const own = `${file}.${randomUUID()}`;
  try {
    await writeFile(own, `${process.pid}\n`);
    return await take(own, file, isAlive);
  } finally {
    await rm(own, { force: true });
  }
}

async function take(
  own: string,
  file: string,
  isAlive: (pid: number) => Promise<boolean>,
): Promise<number | null> {
  for (;;) {
    if (await makeLink(own, file)) return null;
    const held = await readClaim(file);
    // Released meanwhile.
    if (held === null) continue;
    if (held.pid !== null && (await isAlive(held.pid))) return held.pid;
    // Only one process may replace this claim. Otherwise another process could replace the new claim, which it has not
    // seen.
    const right = `${file}.${held.id}`;
    const other = await take(own, right, isAlive);
    if (other !== null) return other;
    if ((await readClaim(file))?.id === held.id) {
      await rename(right, file);
      return null;
    }
    await rm(right, { force: true });
  }
}

/** @returns false if the file exists */
async function makeLink(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** @returns null if the file does not exist */
async function readClaim(file: string): Promise<Claim | null> {
  try {
    await using handle = await open(file);
    const { ino, mtimeNs } = await handle.stat({ bigint: true });
    const text = await handle.readFile('utf8');
    return { pid: /^\d+\n?$/.test(text) ? Number(text) : null, id: `${ino}-${mtimeNs}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
