import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SOURCE = path.resolve('clients/typescript');

/** The folder of a program that has installed the client from its package. */
export interface ClientInstallation {
  folder: string;
  /** Writes a file of the program. @returns its path */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Packs the TypeScript client as for publishing, and installs it into a new folder. */
export async function installClient(): Promise<ClientInstallation> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-client-'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: SOURCE });
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const flags = ['--offline', '--no-audit', '--no-fund', '--no-save'];
  await run('npm', ['install', ...flags, path.join(folder, tarball)], { cwd: folder });
  return {
    folder,
    async write(name, text) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
