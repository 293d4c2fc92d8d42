import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { createKey } from '../../ops/commands/keys.ts';
import { migrateDatabase } from '../../ops/commands/migrate.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { findRunner } from '../../ops/local/servers/runner.ts';
import type { PostgresServer } from '../../ops/local/servers/server.ts';
import type { Brokers } from '../../service/brokers.ts';
import { type CatalogueLine, loadCatalogue } from '../helpers/ballots/catalogue.ts';
import { stopWhenInterrupted } from '../helpers/service/interrupted.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { untilReady } from '../helpers/service/system.ts';
import { WEBHOOK_ENV } from '../helpers/webhooks/webhook-env.ts';
import { type SoakKafka, startPlainKafka, startSecuredKafka } from './kafka.ts';

const TOPICS = { topicPrefix: '', retentionMs: 7 * 24 * 60 * 60 * 1000, changesPartitions: 12 };

/** A gateway of the cluster: a series of processes in one place. */
export interface ClusterGateway {
  base: string;
  process: ServiceProcess;
}

/** A whole service on its own servers. Each part has its own process, which can be killed and started again. */
export class Cluster {
  readonly databaseUrl: string;
  readonly key: string;
  readonly gateways: ClusterGateway[];
  readonly #dir: string;
  readonly #kafka: SoakKafka;
  readonly #postgres: PostgresServer;
  readonly #gatewayEnv: Record<string, string>;
  readonly #chooseClock: () => Record<string, string>;
  #consumers: ServiceProcess;
  #forget = () => {};

  private constructor(parts: {
    dir: string;
    postgres: PostgresServer;
    kafka: SoakKafka;
    key: string;
    gatewayEnv: Record<string, string>;
    chooseClock: () => Record<string, string>;
    ports: number[];
  }) {
    this.#dir = parts.dir;
    this.#postgres = parts.postgres;
    this.#kafka = parts.kafka;
    this.#gatewayEnv = parts.gatewayEnv;
    this.#chooseClock = parts.chooseClock;
    this.databaseUrl = parts.postgres.url;
    this.key = parts.key;
    this.#consumers = this.#startConsumers();
    this.gateways = parts.ports.map((port) => ({
      base: `http://127.0.0.1:${port}`,
      process: this.#startGateway(port),
    }));
  }

  /**
   * Starts two gateways and waits for them, and starts consumers.
   *
   * @param gatewayEnv settings of the gateways, besides the servers' addresses
   * @param chooseClock returns the environment that sets the clock of each new process; by default the clock is right
   */
  static async start(
    catalogue: CatalogueLine[],
    gatewayEnv: Record<string, string> = {},
    chooseClock: () => Record<string, string> = () => ({}),
    { secured = false }: { secured?: boolean } = {},
  ): Promise<Cluster> {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-cluster-'));
    const runner = await findRunner();
    const [postgres, kafka] = await Promise.all([
      runner.startPostgres({ dir: path.join(dir, 'postgres') }),
      secured ? startSecuredKafka(dir) : startPlainKafka(dir, runner),
    ]);
    await migrateDatabase(postgres.url);
    const { everything: brokers } = kafka;
    await applyTopics({ ...TOPICS, brokers });
    await loadCatalogue(postgres.url, catalogue);
    const key = await createKey({ databaseUrl: postgres.url, account: 'soak', plan: 'internal' });
    const ports = [await findFreePort(), await findFreePort()];
    const cluster = new Cluster({ dir, postgres, kafka, key, gatewayEnv, chooseClock, ports });
    cluster.#forget = stopWhenInterrupted(() => cluster.stop());
    await Promise.all(cluster.gateways.map(({ base }) => untilReady(base)));
    return cluster;
  }

  /** Kafka for the soak itself, with every right. */
  get brokers(): Brokers {
    return this.#kafka.everything;
  }

  /** Replaces the certificates of the brokers and of every part of the service while they run. */
  rotateCertificates(): Promise<void> {
    return this.#kafka.rotateCertificates();
  }

  /** The remaining traces of old certificates after a rotation, a sentence each. */
  findRotationFaults(): Promise<string[]> {
    return this.#kafka.findRotationFaults();
  }

  /** Kills a gateway with `kill -9`, and starts another in its place after a while. */
  async killGateway(index: number, awayMs: number): Promise<void> {
    const gateway = this.#gateway(index);
    await gateway.process.kill();
    await pause(awayMs);
    await this.startGateway(index);
  }

  /** Ends a gateway in order, and resolves after its end. */
  async stopGateway(index: number): Promise<void> {
    await this.#gateway(index).process.kill('SIGTERM');
  }

  /** Starts a gateway in the place of one that has ended, and waits until it is ready. */
  async startGateway(index: number): Promise<void> {
    const gateway = this.#gateway(index);
    gateway.process = this.#startGateway(Number(new URL(gateway.base).port));
    await untilReady(gateway.base);
  }

  /** Kills the consumers with `kill -9`, and starts others after a while. */
  async killConsumers(awayMs: number): Promise<void> {
    await this.#consumers.kill();
    await pause(awayMs);
    this.#consumers = this.#startConsumers();
  }

  /** Kills a broker with `kill -9`, and starts it on the same data after a while. */
  async killBroker(awayMs: number): Promise<void> {
    await this.#kafka.kill(awayMs);
  }

  /** Stops one of several brokers in order, and starts it again. @returns once all of its replicas are in sync again */
  async restartBroker(index: number): Promise<void> {
    await this.#kafka.restart(index);
  }

  /** Loses Kafka with all of its data. Another one replaces it at once, with new topics. */
  async loseKafka(): Promise<void> {
    await this.#kafka.lose();
    await applyTopics({ ...TOPICS, brokers: this.brokers });
  }

  async stop(): Promise<void> {
    this.#forget();
    await Promise.all(
      [this.#consumers, ...this.gateways.map((gateway) => gateway.process)].map((p) => p.kill()),
    );
    await Promise.all([this.#postgres.stop(), this.#kafka.stop()]);
    await rm(this.#dir, { recursive: true, force: true });
  }

  #gateway(index: number): ClusterGateway {
    const gateway = this.gateways[index];
    if (!gateway) throw new Error(`There is no gateway ${index}.`);
    return gateway;
  }

  #env(user: 'gateway' | 'consumers'): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      ...this.#kafka.settingsOf(user),
      LOG_LEVEL: 'error',
      ...WEBHOOK_ENV,
    };
  }

  #startConsumers(): ServiceProcess {
    return startProcess('consumers/main.ts', { ...this.#env('consumers'), ...this.#chooseClock() });
  }

  #startGateway(port: number): ServiceProcess {
    const env = { ...this.#env('gateway'), PORT: String(port), ...this.#gatewayEnv, ...this.#chooseClock() };
    return startProcess('gateway/main.ts', env);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
