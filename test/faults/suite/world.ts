import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { measureLag, type ServiceLag } from '../../../administration/lag.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { applyTopics } from '../../../kafka/topics/topics.ts';
import { createKey } from '../../../ops/commands/keys.ts';
import { migrateDatabase } from '../../../ops/commands/migrate.ts';
import { startKafka } from '../../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { startPostgres } from '../../../ops/local/servers/postgres/server.ts';
import type { KafkaServer, PostgresServer } from '../../../ops/local/servers/server.ts';
import { submitAll } from '../../../ops/submit/submit-all.ts';
import type { Submission } from '../../../schemas/submission.ts';
import { type Brokers, plaintextBrokers } from '../../../service/brokers.ts';
import { loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import { withClient } from '../../helpers/postgres/with-client.ts';
import { findProgram } from '../../helpers/servers/find-program.ts';
import { stopWhenInterrupted } from '../../helpers/service/interrupted.ts';
import { type ServiceProcess, startProcess } from '../../helpers/service/process.ts';
import { until } from '../../helpers/until.ts';
import { Receiver } from '../../helpers/webhooks/receiver.ts';
import { WEBHOOK_ENV } from '../../helpers/webhooks/webhook-env.ts';
import { SecuredListener } from './secured-listener.ts';
import { type Disks, folderOf, type KafkaPorts, kafkaOptions, kill, mountDisks } from './servers.ts';

const WEEK_MS = 604_800_000;
const PARTITIONS = 6;

/** A process of the service, and its own proxy to Postgres. */
export interface Part {
  name: string;
  entry: string;
  postgres: TcpProxy;
  env: Record<string, string>;
  process: ServiceProcess;
}

/** The whole service with its own servers. Its processes reach them through proxies, the suite directly. */
export class World {
  readonly dir: string;
  readonly key: string;
  readonly parts: Part[] = [];
  readonly gateways: Part[] = [];
  readonly consumers: Part[] = [];
  /** Gets every event, by a webhook. */
  readonly receiver: Receiver;
  /** The proxy of all processes to Kafka. */
  readonly kafkaProxy: TcpProxy;
  /** The disks of the servers; null if this machine does not allow mounting. */
  readonly disks: Disks | null;
  /** The listener of Kafka that requires certificates; null without openssl. */
  readonly secured: SecuredListener | null;
  readonly #kafkaPorts: KafkaPorts;
  /** Whether Postgres has ended or was killed. */
  #hasPostgresEnded = false;
  #postgres: PostgresServer;
  #kafka: KafkaServer;
  #forget = () => {};

  private constructor(parts: {
    receiver: Receiver;
    dir: string;
    key: string;
    kafkaProxy: TcpProxy;
    kafkaPorts: KafkaPorts;
    disks: Disks | null;
    secured: SecuredListener | null;
    postgres: PostgresServer;
    kafka: KafkaServer;
  }) {
    this.receiver = parts.receiver;
    this.dir = parts.dir;
    this.key = parts.key;
    this.kafkaProxy = parts.kafkaProxy;
    this.disks = parts.disks;
    this.secured = parts.secured;
    this.#kafkaPorts = parts.kafkaPorts;
    this.#postgres = parts.postgres;
    this.#kafka = parts.kafka;
    this.#watchPostgres();
  }

  /**
   * Starts everything: two gateways and two consumers, ready.
   *
   * @param diskMb the space of each server, in megabytes
   */
  static async start(diskMb: number): Promise<World> {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-faults-'));
    const kafkaPorts = { port: await findFreePort(), direct: await findFreePort() };
    const kafkaProxy = await TcpProxy.open(kafkaPorts.port);
    const secured = findProgram('openssl') === null ? null : await SecuredListener.open(dir);
    const disks = mountDisks(diskMb);
    const [postgres, kafka] = await Promise.all([
      startPostgres({ dir: folderOf('postgres', dir, disks) }),
      startKafka(kafkaOptions(folderOf('kafka', dir, disks), kafkaPorts, { kafkaProxy, secured })),
    ]);
    await migrateDatabase(postgres.url);
    await loadCatalogue(postgres.url, SMALL_BALLOT);
    const key = await createKey({ databaseUrl: postgres.url, account: 'faults', plan: 'internal' });
    const receiver = await Receiver.start();
    const world = new World({ receiver, dir, key, kafkaProxy, kafkaPorts, disks, secured, postgres, kafka });
    world.#forget = stopWhenInterrupted(() => world.stop());
    await world.makeTopics();
    for (const [index, list] of [
      world.gateways,
      world.gateways,
      world.consumers,
      world.consumers,
    ].entries()) {
      const part = await world.#startPart(index, list === world.gateways ? 'gateway' : 'consumers');
      list.push(part);
      world.parts.push(part);
    }
    await world.heal();
    await world.#createWebhook();
    return world;
  }

  async #createWebhook(): Promise<void> {
    const [gateway] = this.gateways;
    if (!gateway) return;
    const response = await fetch(`${this.address(gateway)}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'All', url: this.receiver.url }),
    });
    const { data } = (await response.json()) as { data: { secret: string } };
    this.receiver.secret = data.secret;
  }

  async #startPart(index: number, program: 'gateway' | 'consumers'): Promise<Part> {
    const postgres = await TcpProxy.open(this.#postgres.port);
    const url = new URL(this.databaseUrl);
    url.port = String(postgres.port);
    const env = {
      DATABASE_URL: url.href,
      KAFKA_BROKERS: `127.0.0.1:${this.kafkaProxy.port}`,
      PORT: String(await findFreePort()),
      METRICS_PORT: String(await findFreePort()),
      FEED_MEMORY_MB: '1',
      STREAM_HEARTBEAT_MS: '1000',
      LOG_LEVEL: 'error',
      ...WEBHOOK_ENV,
    };
    const entry = `${program}/main.ts`;
    return { name: `${program} ${index % 2}`, entry, postgres, env, process: startProcess(entry, env) };
  }

  /** Postgres itself, without a proxy. */
  get databaseUrl(): string {
    return this.#postgres.url;
  }

  /** Kafka itself, without a proxy. */
  get brokers(): Brokers {
    return plaintextBrokers([`localhost:${this.#kafkaPorts.direct}`]);
  }

  get kafkaPid(): number {
    return this.#kafka.pid ?? 0;
  }

  get postgresPid(): number {
    return this.#postgres.pid ?? 0;
  }

  address({ env }: Part): string {
    return `http://127.0.0.1:${env.PORT}`;
  }

  async makeTopics(): Promise<void> {
    const { brokers } = this;
    await applyTopics({ brokers, topicPrefix: '', retentionMs: WEEK_MS, changesPartitions: PARTITIONS });
  }

  async submit(submissions: readonly Submission[]): Promise<void> {
    await submitAll({ brokers: this.brokers, topic: topicNames('').submissions, submissions });
  }

  /** The lag of the service. */
  async measureLag(): Promise<ServiceLag> {
    return this.withClient((client) => measureLag(client, { brokers: this.brokers, topicPrefix: '' }));
  }

  /** Uses a connection to Postgres itself. */
  async withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    return withClient(this.databaseUrl, (client) => use(client));
  }

  /** Restarts a part, even if it runs. @param env more settings, such as a wrong clock */
  async restart(part: Part, env: Record<string, string> = {}): Promise<void> {
    await part.process.kill();
    part.process = startProcess(part.entry, { ...part.env, ...env });
  }

  /** Kills the broker, unless it has ended, and restarts it. @param meanwhile runs while it is away */
  async restartKafka(meanwhile: (folder: string) => Promise<void> = async () => {}): Promise<void> {
    const folder = folderOf('kafka', this.dir, this.disks);
    kill(this.kafkaPid);
    await this.#kafka.exited;
    await meanwhile(folder);
    this.#kafka = await startKafka(kafkaOptions(folder, this.#kafkaPorts, this));
  }

  /** Resolves with the ending of the broker. */
  get kafkaExit(): Promise<string> {
    return this.#kafka.exited;
  }

  /** Kills Postgres, unless it has ended, and restarts it. It recovers from its log. */
  async restartPostgres(): Promise<void> {
    const { port } = this.#postgres;
    kill(this.postgresPid);
    await this.#postgres.exited;
    this.#postgres = await startPostgres({ dir: folderOf('postgres', this.dir, this.disks), port });
    this.#watchPostgres();
  }

  /** Whether Postgres has ended since its last start. */
  get hasPostgresEnded(): boolean {
    return this.#hasPostgresEnded;
  }

  #watchPostgres(): void {
    const server = this.#postgres;
    this.#hasPostgresEnded = false;
    server.exited.then(() => {
      if (server === this.#postgres) this.#hasPostgresEnded = true;
    });
  }

  /** Copies the stopped broker's data. @returns a function that replaces the data by the copy */
  async snapshotKafka(): Promise<(folder: string) => Promise<void>> {
    const copy = path.join(this.dir, 'kafka-copy');
    await this.restartKafka(async (folder) => {
      await rm(copy, { recursive: true, force: true });
      await cp(path.join(folder, 'data'), copy, { recursive: true });
    });
    return async (folder) => {
      await rm(path.join(folder, 'data'), { recursive: true });
      await cp(copy, path.join(folder, 'data'), { recursive: true });
    };
  }

  /** Ends all connection faults, and restarts dead parts. Waits until the gateways are ready. */
  async heal(): Promise<void> {
    this.kafkaProxy.mend();
    this.secured?.proxy.mend();
    this.disks?.kafka.free();
    this.disks?.postgres.free();
    for (const part of this.parts) {
      part.postgres.mend();
      if (part.process.exitCode() !== null || part.process.killed()) await this.restart(part);
    }
    await this.untilReady(this.gateways);
  }

  /** Waits until these parts are ready. */
  async untilReady(parts: readonly Part[]): Promise<void> {
    const isReady = ({ env }: Part) =>
      fetch(`http://127.0.0.1:${env.METRICS_PORT}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    const areReady = async () => (await Promise.all(parts.map(isReady))).every(Boolean);
    await until(`${parts.map(({ name }) => name).join(', ')} are ready`, areReady, 180_000);
  }

  async stop(): Promise<void> {
    this.#forget();
    await Promise.all(this.parts.map((part) => part.process.kill()));
    await Promise.all([this.#postgres.stop(), this.#kafka.stop(), this.receiver.stop()]);
    const proxies = [this.kafkaProxy, this.secured?.proxy, ...this.parts.map(({ postgres }) => postgres)];
    await Promise.all(proxies.map((proxy) => proxy?.close()));
    this.disks?.kafka.unmount();
    this.disks?.postgres.unmount();
    await rm(this.dir, { recursive: true, force: true });
  }
}
