import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findProgram } from '../servers/find-program.ts';

export interface RunningBrowser {
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** Opens a page in a headless Chromium of its own. */
export async function openPage(url: string): Promise<RunningBrowser> {
  const program = findProgram('chromium');
  if (program === null) throw new Error('chromium is not installed.');
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-chromium-'));
  const args = [
    '--headless',
    // Chromium's sandbox refuses to run as root, and the pages are the tests' own.
    '--no-sandbox',
    // A container's /dev/shm is too small for it.
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    `--user-data-dir=${dir}`,
  ];
  // Chromium logs complaints about the missing desktop.
  const child = spawn(program, [...args, url], { stdio: 'ignore' });
  return {
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      // Chromium's helper processes end after it, and may write until then.
      await rm(dir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
