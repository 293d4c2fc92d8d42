import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../clients/python.ts';

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
  const unpacked = path.join(unfinished, 'distribution');
  const args = ['dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${unpacked}`];
  try {
    await mkdir(unfinished, { recursive: true });
    // Without a project, Maven leaves a folder of marks in the current folder.
    if ((await runProgram('mvn', ['-B', '-q', ...args], unfinished)) !== 0)
      throw new Error(`Maven could not fetch ${artifact}.`);
    await rename(unpacked, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
