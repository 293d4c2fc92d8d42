import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from './python.ts';

/**
 * Fetches the distribution of a Java program from Maven Central and unpacks it below `.cache`, once.
 *
 * @param artifact `group:artifact:version:packaging`, with a classifier if it has one
 * @returns its folder
 * @throws Error if Maven cannot fetch it
 */
export async function fetchDistribution(name: string, artifact: string): Promise<string> {
  const folder = path.resolve('.cache', name);
  if (existsSync(folder)) return folder;
  process.stdout.write(`Fetching ${name} with Maven, once ...\n`);
  const unfinished = `${folder}.${process.pid}`;
  const args = ['dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${unfinished}`];
  try {
    if ((await runProgram('mvn', ['-B', '-q', ...args])) !== 0)
      throw new Error(`Maven could not fetch ${artifact}.`);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
