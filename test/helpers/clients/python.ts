import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Runs a program with this process's standard output and error, by default in this folder. @returns its exit status */
export async function runProgram(command: string, args: string[], cwd = process.cwd()): Promise<number> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error').then(() => [1])]);
  return code ?? 1;
}

/**
 * Installs a Python package into its own folder below `.cache`, once.
 *
 * @param others further packages, such as `fastavro==1.13.1`
 * @returns the folder with its programs, `python` included; null if Python or the package is not available
 */
export async function installPythonPackage(
  name: string,
  version: string,
  ...others: string[]
): Promise<string | null> {
  const folder = path.resolve('.cache', [`${name}-${version}`, ...others].join('-'));
  const bin = path.join(folder, 'bin');
  if (existsSync(path.join(folder, 'installed'))) return bin;
  process.stderr.write(`Installing ${name} ${version} with Python, once ...\n`);
  const pip = path.join(bin, 'pip');
  const done =
    (await runProgram('python3', ['-m', 'venv', folder])) === 0 &&
    (await runProgram(pip, [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `${name}==${version}`,
      ...others,
    ])) === 0;
  if (!done) {
    process.stderr.write('It needs Python 3 with venv: on Debian "apt-get install python3-venv".\n');
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  await writeFile(path.join(folder, 'installed'), `${version}\n`);
  return bin;
}
