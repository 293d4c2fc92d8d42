import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { measureLag, type ServiceLag } from '../../../administration/lag.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { applyTopics } from '../../../kafka/topics.ts';
import { createKey } from '../../../ops/commands/keys.ts';
import { migrateDatabase } from '../../../ops/commands/migrate.ts';
import { startKafka } from '../../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { startPostgres } from '../../../ops/local/servers/postgres/server.ts';
import type { KafkaServer, PostgresServer } from '../../../ops/local/servers/server.ts';
import { submitAll } from '../../../ops/submit/submit-all.ts';
import type { Submission } from '../../../schemas/submission.ts';
import { type Brokers, plaintextBrokers } from '../../../service/brokers.ts';
import { loadCatalogue, SMALL_BALLOT } from '../../helpers/catalogue.ts';
import { stopWhenInterrupted } from '../../helpers/interrupted.ts';
import { type ServiceProcess, startProcess } from '../../helpers/process.ts';
import { until } from '../../helpers/until.ts';
import { FaultProxy } from './fault-proxy.ts';

const WEEK_MS = 604_800_000;
const PARTITIONS = 6;

/** A process of the service, and its own way to Postgres. */
export interface Part {
  name: string;
  entry: string;
  postgres: FaultProxy;
  env: Record<string, string>;
  process: ServiceProcess;
}

/** The whole service with servers of its own. Its processes reach the servers through proxies, the suite directly. */
export class World {
  readonly dir: string;
  readonly key: string;
  readonly parts: Part[] = [];
  readonly gateways: Part[] = [];
  readonly consumers: Part[] = [];
  /** The way of all processes to Kafka. */
  readonly kafkaProxy: FaultProxy;
  readonly #kafkaPorts: { port: number; direct: number };
  #postgres: PostgresServer;
  #kafka: KafkaServer;
  #forget = () => {};

  private constructor(parts: {
    dir: string;
    key: string;
    kafkaProxy: FaultProxy;
    kafkaPorts: { port: number; direct: number };
    postgres: PostgresServer;
    kafka: KafkaServer;
  }) {
    this.dir = parts.dir;
    this.key = parts.key;
    this.kafkaProxy = parts.kafkaProxy;
    this.#kafkaPorts = parts.kafkaPorts;
    this.#postgres = parts.postgres;
    this.#kafka = parts.kafka;
  }

  /** Starts everything: two gateways and two consumers, ready. */
  static async start(): Promise<World> {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-faults-'));
    const kafkaPorts = { port: await findFreePort(), direct: await findFreePort() };
    const kafkaProxy = await FaultProxy.open(kafkaPorts.port);
    const [postgres, kafka] = await Promise.all([
      startPostgres({ dir: path.join(dir, 'postgres') }),
      startKafka(kafkaOptions(dir, kafkaPorts, kafkaProxy.port)),
    ]);
    await migrateDatabase(postgres.url);
    await loadCatalogue(postgres.url, SMALL_BALLOT);
    const key = await createKey({ databaseUrl: postgres.url, account: 'faults', plan: 'internal' });
    const world = new World({ dir, key, kafkaProxy, kafkaPorts, postgres, kafka });
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
    return world;
  }

  async #startPart(index: number, program: 'gateway' | 'consumers'): Promise<Part> {
    const postgres = await FaultProxy.open(this.#postgres.port);
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

  /** How far the service is behind. */
  async measureLag(): Promise<ServiceLag> {
    return this.withClient((client) => measureLag(client, { brokers: this.brokers, topicPrefix: '' }));
  }

  /** Uses a connection to Postgres itself. */
  async withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }

  /** Starts a part again, also where it runs. @param env more settings, such as a wrong clock */
  async restart(part: Part, env: Record<string, string> = {}): Promise<void> {
    await part.process.kill();
    part.process = startProcess(part.entry, { ...part.env, ...env });
  }

  /** Kills the broker and starts it again. @param meanwhile done while it is away */
  async restartKafka(meanwhile: (folder: string) => Promise<void> = async () => {}): Promise<void> {
    process.kill(this.kafkaPid, 'SIGKILL');
    await this.#kafka.exited;
    await meanwhile(path.join(this.dir, 'kafka'));
    this.#kafka = await startKafka(kafkaOptions(this.dir, this.#kafkaPorts, this.kafkaProxy.port));
  }

  /** Kills Postgres and starts it again, which recovers from its log. */
  async restartPostgres(): Promise<void> {
    const { port } = this.#postgres;
    process.kill(this.postgresPid, 'SIGKILL');
    await this.#postgres.exited;
    this.#postgres = await startPostgres({ dir: path.join(this.dir, 'postgres'), port });
  }

  /** Copies the broker's data while it does not run. @returns a function that puts the copy in the data's place */
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

  /** Ends all faults of connections, and starts the parts that have died. Waits until the gateways are ready. */
  async heal(): Promise<void> {
    this.kafkaProxy.mend();
    for (const part of this.parts) {
      part.postgres.mend();
      if (part.process.exitCode() !== null || part.process.killed()) await this.restart(part);
    }
    await until('the gateways are ready', () => this.#areReady(), 180_000);
  }

  async #areReady(): Promise<boolean> {
    const ready = await Promise.all(
      this.gateways.map((part) =>
        fetch(`${this.address(part)}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    return ready.every(Boolean);
  }

  async stop(): Promise<void> {
    this.#forget();
    await Promise.all(this.parts.map((part) => part.process.kill()));
    await Promise.all([this.#postgres.stop(), this.#kafka.stop()]);
    await Promise.all(
      [this.kafkaProxy, ...this.parts.map(({ postgres }) => postgres)].map((proxy) => proxy.close()),
    );
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** The service's listener is advertised as the proxy, and the suite has one of its own. */
function kafkaOptions(dir: string, { port, direct }: { port: number; direct: number }, proxyPort: number) {
  return {
    dir: path.join(dir, 'kafka'),
    port,
    listeners: [{ name: 'DIRECT', protocol: 'PLAINTEXT' as const, port: direct }],
    overrides: {
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${proxyPort},DIRECT://localhost:${direct}`,
    },
  };
}
