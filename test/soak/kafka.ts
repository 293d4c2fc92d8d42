import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ServerOptions, ServerRunner } from '../../ops/local/servers/server.ts';
import type { Brokers } from '../../service/brokers.ts';
import { grantRights, SecuredCluster } from '../helpers/servers/secured-cluster.ts';

/** The Kafka of a soak. */
export interface SoakKafka {
  /** Has every right. */
  everything: Brokers;
  /** The Kafka settings of a part of the service. */
  settingsOf(user: 'gateway' | 'consumers'): Record<string, string>;
  /** Kills a broker with `kill -9`, and starts it on the same data after a while. */
  kill(awayMs: number): Promise<void>;
  /** Stops a broker in order, and starts it again. @returns once all of its replicas are in sync again */
  restart(index: number): Promise<void>;
  /** Kills the broker, and replaces it by one without any data. */
  lose(): Promise<void>;
  rotateCertificates(): Promise<void>;
  findRotationFaults(): Promise<string[]>;
  stop(): Promise<void>;
}

/** One broker without TLS or logins. */
export async function startPlainKafka(dir: string, runner: ServerRunner): Promise<SoakKafka> {
  const options: ServerOptions = { dir: path.join(dir, 'kafka') };
  let server = await runner.startKafka(options);
  const { brokers, port } = server;
  const crash = async () => {
    if (server.pid === null) throw new Error('A broker in a container cannot be killed.');
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
  };
  return {
    everything: brokers,
    settingsOf: () => ({ KAFKA_BROKERS: brokers.addresses.join(',') }),
    async kill(awayMs) {
      await crash();
      await new Promise((resolve) => setTimeout(resolve, awayMs));
      server = await runner.startKafka({ ...options, port });
    },
    restart: () =>
      Promise.reject(new Error('Only one of several brokers can be restarted without an interruption.')),
    async lose() {
      await crash();
      await rm(options.dir, { recursive: true });
      server = await runner.startKafka({ ...options, port });
    },
    rotateCertificates: async () => {},
    findRotationFaults: async () => [],
    stop: () => server.stop(),
  };
}

/** Three brokers that require certificates, passwords and rights. They are killed in turn. */
export async function startSecuredKafka(dir: string): Promise<SoakKafka> {
  const cluster = await SecuredCluster.start({ dir: path.join(dir, 'kafka') });
  await grantRights(cluster.everything, '');
  let kills = 0;
  return {
    everything: cluster.everything,
    settingsOf: (user) => cluster.settings[user],
    async kill(awayMs) {
      await cluster.killBroker(kills % 3, awayMs);
      kills += 1;
    },
    restart: (index) => cluster.restartBroker(index),
    lose: () => Promise.reject(new Error('Only a single broker can be lost whole.')),
    rotateCertificates: () => cluster.rotateCertificates(),
    findRotationFaults: () => cluster.findRotationFaults(),
    stop: () => cluster.stop(),
  };
}
