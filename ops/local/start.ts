/**
 * `npm start`: runs the whole service on one machine in the foreground until Ctrl-C.
 *
 * It starts the servers concurrently (Postgres and Kafka, unless the environment names others), with the schema and the
 * topics, then the consumers, the gateway and the demo. Everything it starts goes onto a stack, and Ctrl-C stops it in
 * the opposite order at any point.
 */

import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { measureLag } from '../../administration/lag.ts';
import { describeTopic } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import type { Brokers } from '../../service/brokers.ts';
import { describeFailure, OperatorError } from '../../service/operator-error.ts';
import { describeKafkaSecurity, localAddress } from '../../service/running-service.ts';
import type { Supervisor } from '../../service/supervise.ts';
import { unlessAborted } from '../../service/unless-aborted.ts';
import { waitFor } from '../../service/wait-for.ts';
import { migrateDatabase } from '../commands/migrate.ts';
import { inOneTransaction, requireDatabase } from '../database.ts';
import { describeOutage } from '../describe-outage.ts';
import { logFolder, makePrivate, nameData } from './data-dir.ts';
import {
  allowDemoEndorsers,
  createDemoLink,
  type DemoOptions,
  ensureDemoKey,
  importDemoOnce,
  renderWelcome,
  submitDemo,
} from './demo.ts';
import { createKafkaMending } from './mend-kafka.ts';
import { DiskWatch } from './processes/disk-watch.ts';
import { listenForInterrupts } from './processes/interrupts.ts';
import { KeptProcesses } from './processes/kept-processes.ts';
import { RememberedPids } from './processes/remembered-pids.ts';
import {
  claimRunDir,
  knownProcesses,
  noteStopping,
  PROGRAMS,
  type ProgramName,
  releaseRunDir,
  writeServiceEnv,
} from './processes/run-files.ts';
import { findRunner } from './servers/runner.ts';
import type { KafkaServer, ServerRunner } from './servers/server.ts';
import { createStartConfig, type StartConfig } from './start-config.ts';
import { chooseStartPorts } from './start-ports.ts';
import { chooseWebhookSettings } from './webhook-key.ts';

const READY_TIMEOUT_MS = 120_000;
/** The folder of the project. */
const ROOT = path.resolve(import.meta.dirname, '../..');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function renderServersOnly(dataDir: string): string {
  return [
    '',
    'Only the servers run. Commands with the same DATA_DIR find them:',
    `  ${nameData(dataDir)}npm run ops -- stream check`,
    '',
    'Ctrl-C stops the servers.',
    '',
  ].join('\n');
}

class Start {
  readonly #config: StartConfig;
  readonly #runDir: string;
  readonly #logDir: string;
  readonly #stack = new AsyncDisposableStack();
  readonly #pids: RememberedPids;
  readonly #kept: KeptProcesses;
  readonly #interrupted: AbortSignal;
  /** Aborts when a program cannot be started at all. */
  readonly #failed = new AbortController();
  /** Aborts when everything has to stop. */
  readonly #over: AbortSignal;
  #runner: Promise<ServerRunner> | null = null;
  #hasDemoToSubmit = false;
  /** Does nothing before Kafka has started, and if the environment names another one. */
  #mendKafka: () => Promise<void> = async () => {};

  constructor(config: StartConfig) {
    this.#config = config;
    this.#runDir = path.join(config.dataDir, 'run');
    this.#logDir = logFolder(config.dataDir);
    this.#pids = new RememberedPids(this.#runDir);
    this.#kept = new KeptProcesses({
      logDir: this.#logDir,
      pids: this.#pids,
      stack: this.#stack,
      report: say,
      onRefusal: (name) =>
        this.#failed.abort(new OperatorError(`${name} cannot be started; the reason is above.`)),
    });
    this.#interrupted = listenForInterrupts(() => this.#pids.killAll());
    this.#over = AbortSignal.any([this.#interrupted, this.#failed.signal]);
  }

  /** Runs until it is interrupted. */
  async run(): Promise<void> {
    const known = knownProcesses(this.#config.dataDir);
    try {
      await makePrivate(this.#config.dataDir);
      await claimRunDir(this.#runDir, known, say, this.#interrupted);
      this.#stack.defer(() => releaseRunDir(this.#runDir, known));
      this.#interrupted.throwIfAborted();
      this.#interrupted.addEventListener('abort', () => noteStopping(this.#runDir), { once: true });
      await this.#watchDisk();
      await (this.#config.serversOnly ? this.#bringUpServers() : this.#bringUp());
      await unlessAborted(this.#over, new Promise(() => {}));
    } catch (error) {
      if (!this.#over.aborted) throw this.#explain(error);
    } finally {
      if (this.#interrupted.aborted) say('Stopping ...');
      await this.#stack.disposeAsync();
    }
    if (!this.#interrupted.aborted) this.#failed.signal.throwIfAborted();
    say('Stopped.');
  }

  /** The error to show for a failed start. */
  #explain(error: unknown): unknown {
    const { dataDir } = this.#config;
    const logs = `servers that it starts have their logs in ${dataDir}/postgres and ${dataDir}/kafka`;
    const outage = describeOutage(error, `run "npm start" again; ${logs}`);
    return outage === null ? error : new OperatorError(outage, { cause: error });
  }

  async #watchDisk(): Promise<void> {
    const onRoom = () => void this.#mendKafka();
    const disk = new DiskWatch({ folder: this.#config.dataDir, report: say, onRoom });
    this.#stack.defer(() => {
      disk.stop();
      this.#pids.stop();
    });
    await disk.check();
  }

  /** Starts only the servers: it touches neither the schema nor the topics. */
  async #bringUpServers(): Promise<void> {
    const { databaseUrl, brokers } = await this.#startServers();
    await writeServiceEnv(this.#runDir, this.#describeServers(databaseUrl, brokers));
    say(renderServersOnly(this.#config.dataDir));
  }

  async #bringUp(): Promise<void> {
    const { port, metricsPort, consumersMetricsPort } = await chooseStartPorts(this.#config);
    const { databaseUrl, brokers } = await this.#startServers();
    this.#over.throwIfAborted();

    const { dataDir, demo, host, publicUrl, hasConsole } = this.#config;
    const service = {
      ...this.#describeServers(databaseUrl, brokers),
      PORT: String(port),
      // Other commands find the service at the default address without it.
      ...(localAddress(host, port) !== localAddress(null, port) && { HOST: host }),
      ...(publicUrl !== null && { PUBLIC_URL: publicUrl }),
      ...(await chooseWebhookSettings(process.env, { dataDir, publicUrl })),
    };
    await writeServiceEnv(this.#runDir, service);
    const { PORT: _, ...inherited } = process.env;
    const { PORT: gatewayPort, ...shared } = { ...inherited, ...service, HOST: host };
    say('Starting the gateway and the consumers ...');
    await this.#startProgram('consumers', { ...shared, METRICS_PORT: String(consumersMetricsPort) });
    await this.#startProgram('gateway', { ...shared, PORT: gatewayPort, METRICS_PORT: String(metricsPort) });
    const address = localAddress(host, port);
    const prepared = Promise.all([
      ensureDemoKey(databaseUrl, dataDir),
      this.#hasDemoToSubmit && submitDemo({ ...this.#describeDemo(databaseUrl), brokers }),
      this.#untilReady(address),
    ]);
    const [key] = await unlessAborted(this.#over, prepared);
    if (this.#hasDemoToSubmit) await allowDemoEndorsers(databaseUrl);
    if (demo) await this.#startProgram('demo-traffic', { ...shared });
    const consoleLink = hasConsole ? await createDemoLink(databaseUrl, publicUrl ?? address) : null;
    const metricsAddress = localAddress(host, metricsPort);
    say(renderWelcome({ address, metricsAddress, key, consoleLink, demo, dataDir }));
  }

  #describeDemo(databaseUrl: string): Omit<DemoOptions, 'brokers'> {
    const { dataDir, topicPrefix, today } = this.#config;
    return { databaseUrl, dataDir, topicPrefix, today, report: say };
  }

  /** The servers and their topics, as environment variables for the service's programs. */
  #describeServers(databaseUrl: string, brokers: Brokers): Record<string, string> {
    const { retentionMs, changesPartitions, topicPrefix } = this.#config;
    return {
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: brokers.addresses.join(','),
      ...describeKafkaSecurity(process.env),
      RETENTION_MS: String(retentionMs),
      CHANGES_PARTITIONS: String(changesPartitions),
      ...(topicPrefix === '' ? {} : { TOPIC_PREFIX: topicPrefix }),
    };
  }

  /** Starts the servers concurrently. For the service, they get the schema, the catalogue and the topics. */
  async #startServers(): Promise<{ databaseUrl: string; brokers: Brokers }> {
    const { databaseUrl: givenUrl, brokers: givenBrokers, topicPrefix } = this.#config;
    if (givenUrl !== null) await requireDatabase(givenUrl);
    if (givenUrl === null || givenBrokers === null) say('Starting the servers ...');
    const starting = [this.#startDatabase(), this.#startKafka()] as const;
    // If one fails, the other must have started before it can be stopped.
    await Promise.allSettled(starting);
    const [databaseUrl, { kafka, brokers }] = await Promise.all(starting);
    if (kafka !== null) {
      const askLag = () =>
        inOneTransaction(databaseUrl, (client) => measureLag(client, { brokers, topicPrefix }));
      const clientId = 'ballot-endorsements-start';
      const topic = topicNames(topicPrefix).submissions;
      this.#mendKafka = createKafkaMending({
        kafka,
        measureLag: askLag,
        askKafka: () => describeTopic({ brokers, topic, clientId }),
        interrupted: this.#interrupted,
        report: say,
      });
    }
    return { databaseUrl, brokers };
  }

  async #findRunner(): Promise<ServerRunner> {
    this.#runner ??= findRunner();
    return this.#runner;
  }

  async #startPostgres(): Promise<string> {
    const { startPostgres } = await this.#findRunner();
    const options = { dir: path.join(this.#config.dataDir, 'postgres') };
    return (await this.#kept.keepServer('postgres', options, startPostgres)).current().url;
  }

  async #startDatabase(): Promise<string> {
    const { databaseUrl, serversOnly, demo } = this.#config;
    const url = databaseUrl ?? (await this.#startPostgres());
    this.#over.throwIfAborted();
    if (serversOnly) return url;
    const migrations = await migrateDatabase(url);
    if (migrations.length > 0)
      say(`Schema: ${migrations.length} migrations applied, up to ${migrations.at(-1)}`);
    this.#over.throwIfAborted();
    if (demo) {
      const importing = importDemoOnce(this.#describeDemo(url));
      this.#hasDemoToSubmit = await unlessAborted(this.#over, importing);
    }
    return url;
  }

  async #startKafka(): Promise<{ kafka: Supervisor<KafkaServer> | null; brokers: Brokers }> {
    const { brokers, dataDir } = this.#config;
    if (brokers !== null) {
      await this.#applyTopics(brokers);
      return { kafka: null, brokers };
    }
    const { startKafka } = await this.#findRunner();
    let isFirst = true;
    const kafka = await this.#kept.keepServer(
      'kafka',
      { dir: path.join(dataDir, 'kafka') },
      async (options) => {
        const server = await startKafka(options);
        // A restarted server can have new storage.
        if (!isFirst) this.#applyTopics(server.brokers).catch((error) => say(describeFailure(error)));
        isFirst = false;
        return server;
      },
    );
    await this.#applyTopics(kafka.current().brokers);
    return { kafka, brokers: kafka.current().brokers };
  }

  async #applyTopics(brokers: Brokers): Promise<void> {
    if (this.#config.serversOnly) return;
    for (const line of await applyTopics({ ...this.#config, brokers })) say(`Topics: ${line}`);
  }

  async #startProgram(name: ProgramName, env: NodeJS.ProcessEnv): Promise<void> {
    this.#over.throwIfAborted();
    await this.#kept.keepProgram(name, path.resolve(ROOT, PROGRAMS[name]), env);
  }

  async #untilReady(address: string): Promise<void> {
    const probe = async () => {
      // Without an agent, and so without a proxy that NODE_USE_ENV_PROXY takes from the environment.
      const request = http.get(`${address}/readyz`, { agent: false, signal: AbortSignal.timeout(2000) });
      request.on('error', () => {});
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      return response.statusCode === 200 ? true : null;
    };
    const ready = waitFor('The gateway', probe, { timeoutMs: READY_TIMEOUT_MS, everyMs: 100 });
    await unlessAborted(this.#over, ready).catch((cause: unknown) => {
      if (this.#over.aborted) throw cause;
      throw new OperatorError(`The gateway did not become ready; see ${this.#logDir}/gateway.log.`, {
        cause,
      });
    });
  }
}

// If the terminal has gone away, or output goes to a file on a full disk, lines are lost and the service continues.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await new Start(createStartConfig(process.env, process.argv.slice(2))).run();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
}
