/** Runs Apache Kafka itself, one node in KRaft mode, from its jars. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withAdmin } from '../../../../kafka/connection/admin.ts';
import { type Brokers, plaintextBrokers } from '../../../../service/brokers.ts';
import { OperatorError } from '../../../../service/operator-error.ts';
import { waitFor } from '../../../../service/wait-for.ts';
import { type DaemonOptions, startDaemon } from '../../processes/daemon.ts';
import { readPidFile, removePidFile, stopProcess, writePidFile } from '../../processes/pid-files.ts';
import { findFreePort } from '../ports.ts';
import type { KafkaServer, ServerOptions } from '../server.ts';
import { OTHER_KAFKA } from '../versions.ts';
import { openClassArchive } from './class-archive.ts';
import { findKafkaJars } from './jars.mjs';
import { type Listener, log4jProperties, renderServerProperties } from './settings.ts';

const STOP_GRACE_MS = 20_000;
const START_TIMEOUT_MS = 60_000;
const HEAP = ['-Xms256m', '-Xmx512m'];
/**
 * The quick compiler and the serial collector alone: a small broker starts with half of the processor time, and works
 * with less of it afterwards too.
 */
const FRUGAL = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

function java(
  folder: string,
  libs: string,
  mainClass: string,
  args: string[],
  jvmOptions: readonly string[] = [],
): DaemonOptions {
  return {
    command: 'java',
    args: [
      ...HEAP,
      ...FRUGAL,
      ...jvmOptions,
      `-Dlog4j2.configurationFile=${path.join(folder, 'log4j2.properties')}`,
      '-cp',
      path.join(libs, '*'),
      mainClass,
      ...args,
    ],
    cwd: folder,
    // In the locale C, Java finds no folder whose name has other letters than ASCII.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    logFile: path.join(folder, 'kafka.log'),
    stop: { marker: path.join(folder, 'server.properties'), signal: 'SIGTERM', graceMs: STOP_GRACE_MS },
  };
}

export interface KafkaOptions extends ServerOptions {
  listeners?: readonly Listener[];
  /** Options of Java, such as system properties. */
  jvmOptions?: readonly string[];
  /** The cluster id of new storage; a random one by default. */
  clusterId?: string;
}

/** Formats new storage. Kafka writes meta.properties last, so that half-formatted storage is formatted again. */
async function formatStorage(
  folder: string,
  libs: string,
  clusterId: string,
  jvmOptions: readonly string[],
): Promise<void> {
  if (existsSync(path.join(folder, 'data', 'meta.properties'))) return;
  const settings = path.join(folder, 'server.properties');
  // As one argument, because an id can begin with "-".
  const args = ['format', `--cluster-id=${clusterId}`, '--config', settings];
  const options = java(folder, libs, 'kafka.tools.StorageTool', args, jvmOptions);
  const ending = await (await startDaemon(options)).exited;
  if (ending !== 'exit code 0')
    throw new OperatorError(`formatting Kafka's storage ended with ${ending}; see ${options.logFile}`);
}

async function answers(brokers: Brokers): Promise<true | null> {
  const cluster = await withAdmin(brokers, (admin) => admin.describeCluster(), { retries: 0 });
  return cluster.brokers.length > 0 ? true : null;
}

/**
 * Starts a broker on 127.0.0.1 with the data in `dir`, which the first start formats. First it stops an earlier run's
 * broker on the same data. `overrides` are broker settings. The broker has a listener without TLS or a login;
 * `listeners` adds others.
 *
 * @returns once the broker answers
 * @throws OperatorError if its jars cannot be fetched, or it does not start
 */
export async function startKafka({
  dir,
  port,
  onSpawn,
  overrides = {},
  listeners = [],
  jvmOptions = [],
  clusterId = randomBytes(16).toString('base64url'),
}: KafkaOptions): Promise<KafkaServer> {
  const folder = path.resolve(dir);
  const settings = path.join(folder, 'server.properties');
  const libs = await findKafkaJars(OTHER_KAFKA).catch((error: Error) => {
    throw new OperatorError(error.message);
  });
  await mkdir(folder, { recursive: true });
  const leftover = await readPidFile(folder, 'kafka', settings);
  if (leftover !== null) {
    await stopProcess(leftover, { marker: settings, signal: 'SIGTERM', graceMs: STOP_GRACE_MS });
  }

  const usedPort = port ?? (await findFreePort());
  const plan = {
    port: usedPort,
    controllerPort: await findFreePort(),
    listeners,
  };
  await writeFile(settings, renderServerProperties(plan, overrides));
  await writeFile(path.join(folder, 'log4j2.properties'), log4jProperties);
  const { forReading, forWriting, keep } = openClassArchive(libs);
  await formatStorage(folder, libs, clusterId, forReading);

  const all = [...forReading, ...forWriting, ...jvmOptions];
  const options = java(folder, libs, 'kafka.Kafka', [settings], all);
  const server = await startDaemon(options);
  const brokers = plaintextBrokers([`127.0.0.1:${usedPort}`]);
  try {
    await writePidFile(folder, 'kafka', server.pid);
    await onSpawn?.(server.pid);
    await waitFor('Kafka', () => answers(brokers), {
      timeoutMs: START_TIMEOUT_MS,
      everyMs: 100,
      until: server.exited,
    });
  } catch (cause) {
    await server.stop();
    throw new OperatorError(`${(cause as Error).message}; see ${options.logFile}`, { cause });
  }
  return {
    ...server,
    async stop() {
      await server.stop();
      await keep(await server.exited);
      await removePidFile(folder, 'kafka');
    },
    brokers,
    port: usedPort,
  };
}
