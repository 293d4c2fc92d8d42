import { afterAll, beforeAll } from '@jest/globals';
import type { Role } from '../../../consumers/config.ts';
import { startConsumers } from '../../../consumers/consumers.ts';
import { createConfig as createGatewayConfig, type GatewayConfig } from '../../../gateway/config.ts';
import { type Gateway, startGateway } from '../../../gateway/gateway.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { type CreateKeyOptions, createKey } from '../../../ops/commands/keys.ts';
import { submitAll } from '../../../ops/submit/submit-all.ts';
import { parseCursor } from '../../../schemas/cursor.ts';
import type { Submission } from '../../../schemas/submission.ts';
import type { Clock } from '../../../service/clock.ts';
import type { Stoppable } from '../../../service/lifecycle.ts';
import { createLog, type Logger } from '../../../service/log.ts';
import { readWebhookSettings } from '../../../service/webhook-settings.ts';
import { type CatalogueLine, loadCatalogue, SMALL_BALLOT } from '../ballots/catalogue.ts';
import { watchAnswers } from '../http/described-answers.ts';
import { chooseTopicPrefix, createTestTopics, removeTestTopics } from '../kafka/topics.ts';
import { chooseDatabaseUrl, createTestDatabase } from '../postgres/database.ts';
import { withClient } from '../postgres/with-client.ts';
import type { User } from '../servers/secured-cluster.ts';
import { brokersOf, isSecured, kafkaSettings, testServers } from '../servers/servers.ts';
import { EventStreamClient } from '../stream/event-stream.ts';
import { until } from '../until.ts';
import { WEBHOOK_ENV } from '../webhooks/webhook-env.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export interface TestServiceOptions {
  catalogue?: CatalogueLine[];
  gateways?: number;
  partitions?: number;
  retentionMs?: number;
  /** The roles of the consumers; by default `apply` and `relay`. */
  roles?: Role[];
  /** Whether one process has all roles of the consumers even in a secured run. */
  consumersTogether?: boolean;
  gatewayConfig?: Partial<GatewayConfig>;
  /** The address of a database that does not exist yet; by default on the run's Postgres. */
  databaseUrl?: string;
  /** The replicas that the relay checks. */
  relayReplicas?: string[];
  /** By default the database's clock, as in production. */
  clock?: Clock;
  /** The log of the gateways. */
  log?: Logger;
}

const DEFAULTS = {
  catalogue: SMALL_BALLOT,
  gateways: 1,
  partitions: 2,
  retentionMs: WEEK_MS,
  roles: ['apply', 'relay'] as Role[],
  consumersTogether: false,
  relayReplicas: [],
  log: createLog('gateway', 'silent'),
};

/** An answer of a gateway, with its body parsed. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the shapes of the bodies that they use.
  body: any;
}

interface RequestOptions {
  gateway?: number;
  headers?: Record<string, string>;
}

/** A whole service in this process, on a database and topics of its own. */
export class TestService {
  readonly databaseUrl: string;
  /** Kafka for the test itself, with every right. */
  readonly brokers = testServers().brokers;
  readonly topicPrefix = chooseTopicPrefix();
  readonly gateways: Gateway[] = [];
  /** A key of the plan `internal`, once the service has started. */
  key = '';
  readonly #options: Required<Omit<TestServiceOptions, 'gatewayConfig' | 'clock' | 'databaseUrl'>> & {
    clock?: Clock;
  };
  /** The settings of every gateway. */
  readonly config: GatewayConfig;
  #consumers: Stoppable[] = [];
  #replacing: Promise<void> = Promise.resolve();

  constructor({ gatewayConfig = {}, databaseUrl = chooseDatabaseUrl(), ...options }: TestServiceOptions) {
    this.databaseUrl = databaseUrl;
    this.#options = { ...DEFAULTS, ...options };
    this.config = {
      ...createGatewayConfig({
        ...this.env('gateway'),
        PORT: '0',
        RETENTION_MS: String(this.#options.retentionMs),
        DRAIN_MS: '500',
        ...WEBHOOK_ENV,
      }),
      ...gatewayConfig,
    };
  }

  /** A service whose gateways are ready and whose consumers run; the test stops it. */
  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const service = new TestService(options);
    await service.start();
    return service;
  }

  /** Starts the gateways and the consumers, and waits until the gateways are ready. */
  async start(): Promise<void> {
    const { databaseUrl, topicPrefix: prefix } = this;
    const { catalogue, gateways, partitions, retentionMs } = this.#options;
    await Promise.all([
      createTestDatabase(databaseUrl),
      createTestTopics({ prefix, partitions, retentionMs }),
    ]);
    await loadCatalogue(databaseUrl, catalogue);
    this.key = await this.createKey('test', 'internal');
    await Promise.all(Array.from({ length: gateways }, (_, index) => this.startGateway(index)));
    await this.startConsumers();
    await this.untilReady();
  }

  /**
   * Starts a gateway in this place. When the stream has a new epoch, it replaces the gateway, as a supervisor would.
   */
  async startGateway(index: number): Promise<void> {
    const gateway = await startGateway(this.config, {
      ...(this.#options.clock && { clock: this.#options.clock }),
      log: this.#options.log,
      onNewEpoch: () => {
        this.#replacing = this.#replacing.then(() => this.restartGateway(index));
      },
    });
    let stopped: Promise<void> | undefined;
    // A test may have stopped it already.
    const stop = () => {
      stopped ??= gateway.stop();
      return stopped;
    };
    this.gateways[index] = { ...gateway, stop };
  }

  async restartGateway(index: number): Promise<void> {
    await this.gateways[index]?.stop();
    await this.startGateway(index);
  }

  async untilReady(): Promise<void> {
    const areReady = async () => {
      const ready = await Promise.all(this.gateways.map((gateway) => gateway.isReady()));
      return ready.every(Boolean);
    };
    await until('the gateways are ready', areReady);
  }

  async startConsumers(roles = this.#options.roles): Promise<void> {
    const { databaseUrl, topicPrefix } = this;
    const { retentionMs, relayReplicas: readDatabaseUrls } = this.#options;
    // In a secured run each role has its own user, and therefore its own process.
    const apart = isSecured() && !this.#options.consumersTogether;
    const parts = apart
      ? roles.map((role) => ({ user: role, roles: [role] }))
      : [{ user: 'consumers' as const, roles }];
    this.#consumers = await Promise.all(
      parts.map((part) =>
        startConsumers(
          {
            databaseUrl,
            readDatabaseUrls,
            brokers: brokersOf(part.user),
            topicPrefix,
            roles: part.roles,
            retentionMs,
            webhooks: readWebhookSettings(WEBHOOK_ENV),
          },
          { log: createLog('consumers', 'silent') },
        ),
      ),
    );
  }

  async stopConsumers(): Promise<void> {
    await Promise.all(this.#consumers.map((part) => part.stop()));
    this.#consumers = [];
  }

  /** Stops every part, and removes the topics. */
  async stop(): Promise<void> {
    await this.stopConsumers();
    await this.#replacing;
    for (const gateway of this.gateways) await gateway.stop();
    await removeTestTopics(this.topicPrefix);
  }

  /** The settings of a program of the service; without a user, it may do everything in Kafka. */
  env(user?: User): Record<string, string> {
    return {
      DATABASE_URL: this.databaseUrl,
      ...(user ? kafkaSettings(user) : { KAFKA_BROKERS: this.brokers.addresses.join(',') }),
      TOPIC_PREFIX: this.topicPrefix,
    };
  }

  url(path: string, gateway = 0): string {
    return `http://127.0.0.1:${this.gateways[gateway]?.port}${path}`;
  }

  /** Sends a GET request to a gateway, with the service's key unless `headers` has another. */
  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, undefined, options);
  }

  /**
   * Sends a request to a gateway. The body is sent as JSON, but text and bytes are sent unchanged. The answer is not
   * compressed, which would cost more than it saves here.
   */
  async send(
    method: string,
    path: string,
    body?: unknown,
    { gateway = 0, headers = {} }: RequestOptions = {},
  ): Promise<Answer> {
    const hasBody = body !== undefined;
    const isWritten = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await fetch(this.url(path, gateway), {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        'Accept-Encoding': 'identity',
        ...(hasBody && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(hasBody && { body: isWritten ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  }

  /** Opens a stream of a gateway, with the service's key unless `headers` has another. */
  stream(query = '', { gateway = 0, headers = {} }: RequestOptions = {}): Promise<EventStreamClient> {
    const authorization = { Authorization: `Bearer ${this.key}` };
    return EventStreamClient.open(this.url(`/v1/stream?${query}`, gateway), { ...authorization, ...headers });
  }

  /** Runs a statement on the service's database, past the service. @returns the rows */
  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return withClient(this.databaseUrl, async (client) => (await client.query(text, values)).rows);
  }

  /** Creates a key, and its account if the name is new. */
  createKey(account: string, plan: string, more: Partial<CreateKeyOptions> = {}): Promise<string> {
    return createKey({ databaseUrl: this.databaseUrl, account, plan, ...more });
  }

  /** Lets an account publish for endorsers. */
  async allow(endorsers: string[], account = 'test'): Promise<void> {
    await this.query(
      `INSERT INTO account_endorsers SELECT a.id, e.id FROM accounts a, endorsers e
       WHERE a.name = $1 AND e.slug = ANY($2) ON CONFLICT DO NOTHING`,
      [account, endorsers],
    );
  }

  /** Sends submissions, by default without a sender, and resolves when Kafka has them. */
  async submit(submissions: Submission[], sender?: string): Promise<void> {
    const topic = topicNames(this.topicPrefix).submissions;
    const brokers = brokersOf('producer');
    await submitAll({ brokers, topic, submissions, ...(sender !== undefined && { sender }) });
  }

  /** All events from a cursor, or from the beginning, to the end of the stream. */
  async events(start = 'from=earliest', gateway = 0): Promise<{ data: Answer['body'][]; cursor: string }> {
    const data: Answer['body'][] = [];
    for (let query = start; ; ) {
      const { status, body } = await this.get(`/v1/events?${query}&limit=1000`, { gateway });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      data.push(...body.data);
      if (!body.has_more) return { data, cursor: body.next_cursor };
      query = `cursor=${body.next_cursor}`;
    }
  }

  /** The sequence of the newest event that a gateway can deliver. */
  async latestSequence(gateway = 0): Promise<number> {
    const { body } = await this.get('/v1/events', { gateway });
    return parseCursor(body.next_cursor).sequence;
  }

  /** Waits until every gateway has this number of events, and returns them. */
  async eventsOnceThereAre(count: number, timeoutMs?: number): Promise<Answer['body'][]> {
    const all = async () => {
      const sequences = await Promise.all(this.gateways.map((_, gateway) => this.latestSequence(gateway)));
      return sequences.every((sequence) => sequence >= count);
    };
    await until(`${count} events`, all, timeoutMs);
    return (await this.events()).data;
  }
}

/** Gives a test file a running service during its tests. Every answer must match /openapi.json. */
export function useTestService(options: TestServiceOptions = {}): TestService {
  const service = new TestService(options);
  const answers = watchAnswers((port) => service.gateways.some((gateway) => gateway.port === port));
  beforeAll(() => service.start());
  afterAll(async () => {
    await service.stop();
    answers.stop();
    if (answers.faults.length > 0) throw new Error(`/openapi.json differs: ${answers.faults.join('; ')}`);
  });
  return service;
}
