import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Creates a temporary folder with these files, whose names may include folders. */
export async function createFolder(
  files: Record<string, string | Buffer>,
): Promise<{ dir: string; file: (name: string) => string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-test-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.join(dir, path.dirname(name)), { recursive: true });
    await writeFile(path.join(dir, name), content);
  }
  return {
    dir,
    file: (name) => path.join(dir, name),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
