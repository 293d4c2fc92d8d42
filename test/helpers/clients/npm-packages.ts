import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from './python.ts';

/**
 * Installs npm packages for a single test into their own folder below `.cache`, once. Their install scripts do not run.
 *
 * @param packages with versions, such as `deno@2.9.6`
 * @returns the folder's `node_modules`; null if they are not available
 */
export async function installNpmPackages(...packages: string[]): Promise<string | null> {
  const folder = path.resolve('.cache', packages.join('-').replaceAll('/', '-'));
  const modules = path.join(folder, 'node_modules');
  if (existsSync(path.join(folder, 'installed'))) return modules;
  process.stderr.write(`Installing ${packages.join(' ')}, once ...\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if ((await runProgram('npm', ['install', '--prefix', folder, ...flags, ...packages])) !== 0) {
    process.stderr.write('They could not be installed.\n');
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  await writeFile(path.join(folder, 'installed'), '');
  return modules;
}
