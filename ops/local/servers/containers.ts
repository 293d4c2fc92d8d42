/**
 * Runs Postgres and Kafka from their official images, for machines with Docker but without Java or Maven. The data live
 * in Docker volumes named after their folders, and outlive the containers. Removing a folder starts over. If a starter
 * is gone, Testcontainers' reaper or the next start removes its container.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { plaintextBrokers } from '../../../service/brokers.ts';
import { singleNodeSettings } from './kafka/settings.ts';
import { findFreePort } from './ports.ts';
import type { KafkaServer, LocalServer, PostgresServer, ServerOptions } from './server.ts';

const POSTGRES_IMAGE = 'postgres:18';
const KAFKA_IMAGE = 'apache/kafka:4.3.0';
const STOP_GRACE_MS = 20_000;
/** The label of a volume with the name of its folder. */
const FOLDER_LABEL = 'ballot-endorsements.folder';

function volumeFor(folder: string): string {
  return `ballot-${path.basename(folder)}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}

type Docker = Awaited<ReturnType<typeof getContainerRuntimeClient>>['container']['dockerode'];

/** A container with ports only on 127.0.0.1; by default testcontainers opens them to other machines. */
class LoopbackContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    const bindings = Object.values<Array<{ HostIp?: string }>>(this.hostConfig.PortBindings ?? {});
    for (const binding of bindings.flat()) binding.HostIp = '127.0.0.1';
  }
}

/**
 * Stops and removes an earlier run's containers on a volume. Two servers on one volume destroy it, and neither sees the
 * other from inside its container.
 */
async function removeLeftovers(docker: Docker, volume: string): Promise<void> {
  const leftovers = await docker.listContainers({ all: true, filters: { volume: [volume] } });
  for (const { Id } of leftovers) {
    const container = docker.getContainer(Id);
    // It may have ended, or be ending.
    await container.stop({ t: STOP_GRACE_MS / 1000 }).catch(() => undefined);
    await container.remove({ v: true, force: true }).catch(() => undefined);
  }
}

/**
 * Makes a folder and its volume. First it removes the volumes of this folder and of temporary folders if the folders
 * are gone, as after tests. Other folders may be on an unmounted disk.
 */
async function prepareVolume(docker: Docker, folder: string): Promise<string> {
  const { Volumes: volumes } = await docker.listVolumes({ filters: { label: [FOLDER_LABEL] } });
  for (const { Name, Labels: labels } of volumes ?? []) {
    const owner = labels?.[FOLDER_LABEL] ?? '';
    const replaceable = owner === folder || owner.startsWith(os.tmpdir() + path.sep);
    if (!replaceable || existsSync(owner)) continue;
    await removeLeftovers(docker, Name);
    // Another start may be removing it too.
    await docker
      .getVolume(Name)
      .remove()
      .catch(() => undefined);
  }
  const volume = volumeFor(folder);
  await mkdir(folder, { recursive: true });
  await docker.createVolume({ Name: volume, Labels: { [FOLDER_LABEL]: folder } });
  return volume;
}

async function announceDownload(docker: Docker, image: string): Promise<void> {
  const known = await docker
    .getImage(image)
    .inspect()
    .catch(() => null);
  if (known === null) process.stderr.write(`Fetching the image ${image} (once) ...\n`);
}

/** Starts a container with the data of the folder `dir` at `target`, once nothing else uses them. */
async function prepareContainer(image: string, dir: string, target: string): Promise<GenericContainer> {
  const docker = (await getContainerRuntimeClient()).container.dockerode;
  const volume = await prepareVolume(docker, path.resolve(dir));
  await removeLeftovers(docker, volume);
  await announceDownload(docker, image);
  return new LoopbackContainer(image).withBindMounts([{ source: volume, target, mode: 'rw' }]);
}

async function asServer(container: StartedTestContainer): Promise<LocalServer> {
  const client = await getContainerRuntimeClient();
  const exited = client.container
    .getById(container.getId())
    .wait()
    .then(
      ({ StatusCode }: { StatusCode: number }) => `exit code ${StatusCode}`,
      (error: Error) => error.message,
    );
  return {
    pid: null,
    exited,
    async stop() {
      await container.stop({ timeout: STOP_GRACE_MS }).catch((error: { statusCode?: number }) => {
        // A container that is gone or stopping counts as stopped.
        if (error.statusCode !== 404 && error.statusCode !== 409) throw error;
      });
    },
  };
}

/** Starts Postgres in a container, as startPostgres of postgres/server.ts does embedded. */
export async function startPostgres({ dir, port, overrides = {} }: ServerOptions): Promise<PostgresServer> {
  const usedPort = port ?? (await findFreePort());
  const settings = { max_connections: '200', timezone: 'UTC', ...overrides };
  const prepared = await prepareContainer(POSTGRES_IMAGE, dir, '/var/lib/postgresql');
  const container = await prepared
    .withEnvironment({
      POSTGRES_USER: 'ballot',
      POSTGRES_PASSWORD: 'ballot',
      POSTGRES_DB: 'ballot',
      // Postgres's own C.UTF-8 sorts and folds case in the same way on every system.
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8',
    })
    .withExposedPorts({ container: 5432, host: usedPort })
    .withCommand([
      'postgres',
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    // Over TCP, because during set-up the server listens only on a socket file.
    .withHealthCheck({
      test: ['CMD-SHELL', 'pg_isready -h 127.0.0.1 -U ballot'],
      interval: 500,
      retries: 100,
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .start();
  const url = `postgres://ballot:ballot@127.0.0.1:${usedPort}/ballot`;
  return { ...(await asServer(container)), url, port: usedPort };
}

/** The image's variable for a broker setting: KAFKA_LOG_DIRS for `log.dirs`. */
function asVariable([name, value]: [string, string]): [string, string] {
  return [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value];
}

/** Starts Kafka in a container, as startKafka of kafka/broker.ts does embedded. */
export async function startKafka({ dir, port, overrides = {} }: ServerOptions): Promise<KafkaServer> {
  const usedPort = port ?? (await findFreePort());
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': '1@localhost:9093',
    'controller.listener.names': 'CONTROLLER',
    listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${usedPort}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': '/var/lib/kafka/data',
    'auto.create.topics.enable': 'false',
    ...singleNodeSettings,
    ...overrides,
  };
  const prepared = await prepareContainer(KAFKA_IMAGE, dir, settings['log.dirs']);
  const container = await prepared
    .withEnvironment(Object.fromEntries(Object.entries(settings).map(asVariable)))
    .withExposedPorts({ container: 9092, host: usedPort })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return {
    ...(await asServer(container)),
    brokers: plaintextBrokers([`127.0.0.1:${usedPort}`]),
    port: usedPort,
  };
}
