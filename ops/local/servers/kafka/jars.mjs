/** Plain JavaScript without packages, because the bootstrap fetches the jars at the same time as the packages. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const POM = fileURLToPath(new URL('pom.xml', import.meta.url));
const LINES_TO_SHOW_ON_FAILURE = 5;

/**
 * Runs Maven, and on a terminal shows the file that it is fetching.
 *
 * @param {string} version
 * @param {string} target
 */
async function copyDependencies(version, target) {
  const options = ['-DincludeScope=runtime', `-Dkafka.version=${version}`, `-DoutputDirectory=${target}`];
  const maven = spawn('mvn', ['-B', '-f', POM, 'dependency:copy-dependencies', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => {
    maven.once('error', (error) => resolve(error.message));
    maven.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const terminal = process.stderr.isTTY === true;
  /** @type {string[]} */
  const errors = [];
  // Standard error has the errors of Maven's shell script, mixed with colour codes.
  createInterface({ input: maven.stderr }).on('line', (line) => {
    if (/\w{3}/.test(line)) errors.push(line);
  });
  for await (const line of createInterface({ input: maven.stdout })) {
    if (line.startsWith('[ERROR]')) errors.push(line);
    const file = /^Downloaded .*\/([^/\s]+\.jar)\b/.exec(line)?.[1];
    if (terminal && file !== undefined) process.stderr.write(`\r\x1b[K  ${file}`);
  }
  if (terminal) process.stderr.write('\r\x1b[K');
  const ending = await ended;
  if (ending === 'exit code 0') return;
  const shown = errors.slice(0, LINES_TO_SHOW_ON_FAILURE).join('\n');
  throw new Error(`Maven could not fetch Kafka (${ending}):\n${shown}`);
}

/**
 * Finds the folder with the broker's jars. Maven fetches them the first time and after a change of the pom. They go
 * into a temporary folder, which is renamed when complete, so that an incomplete one is never used.
 *
 * @param {string} [otherVersion] another Kafka version than the pom's
 * @throws Error if Maven fails, with its message
 */
export async function findKafkaJars(otherVersion) {
  const pom = await readFile(POM, 'utf8');
  const version = otherVersion ?? /<kafka\.version>([^<]+)</.exec(pom)?.[1] ?? 'unknown';
  const key = `${version}-${createHash('sha256').update(pom).digest('hex').slice(0, 12)}`;
  const libs = path.join(ROOT, '.cache', 'kafka', key, 'libs');
  if (existsSync(libs)) return libs;

  process.stderr.write(`Fetching Apache Kafka ${version} with Maven (about 45 MB, once) ...\n`);
  const unfinished = `${libs}.${process.pid}`;
  await mkdir(path.dirname(libs), { recursive: true });
  try {
    await copyDependencies(version, unfinished);
    await rename(unfinished, libs).catch((error) => {
      // Another process was faster, with the same jars.
      if (!existsSync(libs)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return libs;
}
