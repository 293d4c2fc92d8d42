/**
 * Postgres and Kafka out of their official images, for a machine that has Docker and neither Java nor Maven.
 * Data live in Docker volumes named after the folder that would hold them. A container whose process has gone
 * is removed by testcontainers' own reaper, so that nothing is left over from a run that was killed.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers';
import { singleNodeSettings } from './kafka-settings.ts';
import { findFreePort } from './ports.ts';
import type { KafkaServer, LocalServer, PostgresServer, ServerOptions } from './server.ts';

const POSTGRES_IMAGE = 'postgres:18';
const KAFKA_IMAGE = 'apache/kafka:4.3.0';
const STOP_GRACE_MS = 20_000;

function volumeFor(dir: string): string {
  const folder = path.resolve(dir);
  return `ballot-${path.basename(folder)}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
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
      await container.stop({ timeout: STOP_GRACE_MS });
    },
  };
}

/** As startPostgres of postgres.ts, in a container. */
export async function startPostgres({ dir, port, overrides = {} }: ServerOptions): Promise<PostgresServer> {
  const usedPort = port ?? (await findFreePort());
  const settings = { max_connections: '200', timezone: 'UTC', ...overrides };
  const container = await new GenericContainer(POSTGRES_IMAGE)
    .withEnvironment({ POSTGRES_USER: 'ballot', POSTGRES_PASSWORD: 'ballot', POSTGRES_DB: 'ballot' })
    .withBindMounts([{ source: volumeFor(dir), target: '/var/lib/postgresql', mode: 'rw' }])
    .withExposedPorts({ container: 5432, host: usedPort })
    .withCommand([
      'postgres',
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    // Once for the server that the image runs to set itself up, once for the one that stays.
    .withWaitStrategy(Wait.forListeningPorts())
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

/** A broker setting as the image reads it: `log.dirs` is KAFKA_LOG_DIRS. */
function asVariable([name, value]: [string, string]): [string, string] {
  return [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value];
}

/** As startKafka of kafka.ts, in a container. */
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
  const container = await new GenericContainer(KAFKA_IMAGE)
    .withEnvironment(Object.fromEntries(Object.entries(settings).map(asVariable)))
    .withBindMounts([{ source: volumeFor(dir), target: '/var/lib/kafka/data', mode: 'rw' }])
    .withExposedPorts({ container: 9092, host: usedPort })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return { ...(await asServer(container)), brokers: [`127.0.0.1:${usedPort}`], port: usedPort };
}
