import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Runs a program with this process's standard output and error, by default in this folder. @returns its exit status */
export async function runProgram(command: string, args: string[], cwd = process.cwd()): Promise<number> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error').then(() => [1])]);
  return code ?? 1;
}

/** Runs a program, and prints its output only if it fails. @returns its exit status */
export function runQuietly(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error) process.stderr.write(`${stdout}${stderr}${error.message}\n`);
      resolve(child.exitCode ?? 1);
    });
  });
}

/**
 * Installs the Python packages of tests, once.
 *
 * @returns the folder with their programs, `python` included; null if Python or a package is not available
 */
export async function installPythonPackages(): Promise<string | null> {
  const status = await runProgram(path.resolve('.ci/python-packages'), []);
  return status === 0 ? path.resolve('.cache/python/bin') : null;
}
