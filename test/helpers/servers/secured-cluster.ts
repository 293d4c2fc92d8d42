/**
 * Three brokers that require TLS, a client certificate, a password and rights, as in production. Each part of the
 * service has its own user, with only the rights of its role.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { listRoleRights, ROLES, type Role } from '../../../kafka/connection/role-rights.ts';
import { type KafkaOptions, startKafka } from '../../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import type { KafkaServer } from '../../../ops/local/servers/server.ts';
import { type Brokers, plaintextBrokers, readBrokers } from '../../../service/brokers.ts';
import { waitFor } from '../../../service/wait-for.ts';
import { TestAuthority } from './certificates.ts';
import { alterBroker, grant, keyStore, SCRAM_MODULE, setPassword } from './secure-users.ts';

/** The users: one for each role, and one for a process that is both `apply` and `relay`. */
const USERS = [...ROLES, 'consumers'] as const;
export type User = (typeof USERS)[number];

/** The settings of each user: those of KAFKA_BROKERS and KAFKA_... */
export type UserSettings = Record<User, Record<string, string>>;

const REPLICATED = {
  'default.replication.factor': '3',
  'min.insync.replicas': '2',
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'transaction.state.log.min.isr': '2',
  'share.coordinator.state.topic.replication.factor': '3',
  'share.coordinator.state.topic.min.isr': '2',
};
/** The longest restart of a killed broker, in milliseconds. */
const RELOAD_MS = 120_000;
/** Clients soon learn that a broker is gone. */
const IMPATIENT = { 'broker.session.timeout.ms': '6000' };

interface Node {
  plain: number;
  controller: number;
  login: number;
}

export class SecuredCluster {
  /** Connects without TLS or a login, and may do everything. */
  readonly everything: Brokers;
  readonly settings: UserSettings;
  readonly #dir: string;
  readonly #servers: KafkaServer[];
  readonly #options: KafkaOptions[];
  #rotations = 0;

  private constructor(
    dir: string,
    parts: { nodes: Node[]; options: KafkaOptions[]; servers: KafkaServer[]; settings: UserSettings },
  ) {
    this.#dir = dir;
    this.settings = parts.settings;
    this.#options = parts.options;
    this.#servers = parts.servers;
    this.everything = plaintextBrokers(parts.nodes.map(({ plain }) => `127.0.0.1:${plain}`));
  }

  /** Starts it in a folder. @param options.overrides settings of every broker */
  static async start({
    dir,
    onSpawn,
    overrides = {},
  }: Pick<KafkaOptions, 'dir' | 'onSpawn' | 'overrides'>): Promise<SecuredCluster> {
    await mkdir(dir, { recursive: true });
    const authority = await TestAuthority.create(dir, authorityName(0));
    await trust(dir, [authority]);
    await issueAll(authority);
    const nodes: Node[] = [];
    for (let index = 0; index < 3; index += 1) {
      nodes.push({
        plain: await findFreePort(),
        controller: await findFreePort(),
        login: await findFreePort(),
      });
    }
    const clusterId = randomBytes(16).toString('base64url');
    const options = nodes.map(
      (_, index): KafkaOptions => ({
        dir: path.join(dir, `broker-${index + 1}`),
        port: nodes[index]?.plain,
        clusterId,
        overrides: { ...brokerSettings(nodes, index, dir), ...overrides },
        ...(onSpawn && { onSpawn }),
      }),
    );
    // A single broker does not answer before a second one runs.
    const servers = await Promise.all(options.map(startKafka));
    const settings = {} as UserSettings;
    const addresses = nodes.map(({ login }) => `localhost:${login}`).join(',');
    for (const user of USERS) settings[user] = await describeUser(dir, user, addresses);
    const cluster = new SecuredCluster(dir, { nodes, options, servers, settings });
    for (const user of USERS) await setPassword(cluster.everything, user, passwordOf(user));
    return cluster;
  }

  /**
   * Replaces the authority, and the certificates of the brokers and of every user, while everything runs. Both
   * authorities are trusted for a while, and afterwards only the new one. A program with an old certificate cannot
   * connect again.
   */
  async rotateCertificates(): Promise<void> {
    const old = TestAuthority.open(this.#dir, authorityName(this.#rotations));
    this.#rotations += 1;
    const authority = await TestAuthority.create(this.#dir, authorityName(this.#rotations));
    await trust(this.#dir, [old, authority]);
    await this.#reload();
    await issueAll(authority);
    await this.#reload();
    await trust(this.#dir, [authority]);
    await this.#reload();
  }

  /** Makes every broker read its files again. A stopped broker reads them when it starts. */
  async #reload(): Promise<void> {
    const store = keyStore('listener.name.login.', ...storeFiles(this.#dir));
    for (const [index] of this.#servers.entries()) {
      const reload = () => alterBroker(this.everything, index + 1, store).then(() => true);
      await waitFor(`Broker ${index + 1}`, reload, { timeoutMs: RELOAD_MS, everyMs: 500 });
    }
  }

  /** The brokers that still show or accept a certificate of an earlier authority, a sentence each. */
  async findRotationFaults(): Promise<string[]> {
    const faults: string[] = [];
    const { KAFKA_BROKERS = '', KAFKA_CERT_FILE, KAFKA_KEY_FILE, ...others } = this.settings.ops;
    const first = TestAuthority.open(this.#dir, authorityName(0));
    const old = await first.issue({ name: 'old-ops', subject: 'ops' });
    for (const address of KAFKA_BROKERS.split(',')) {
      const attempt = (certificate: Record<string, string | undefined>) =>
        withAdmin(
          readBrokers({ ...others, ...certificate, KAFKA_BROKERS: address }) as Brokers,
          (admin) => admin.describeCluster(),
          { retries: 0 },
        ).then(
          () => null,
          (error: Error) => error.message,
        );
      const refusal = await attempt({ KAFKA_CERT_FILE, KAFKA_KEY_FILE });
      if (refusal !== null) faults.push(`The new certificates do not work: ${refusal}`);
      if ((await attempt({ KAFKA_CERT_FILE: old.cert, KAFKA_KEY_FILE: old.key })) === null) {
        faults.push(`The broker ${address} accepts a certificate of an authority that was replaced.`);
      }
    }
    return this.#rotations === 0 ? [] : faults;
  }

  /** Kills a broker with `kill -9`, and starts it on the same data after a while. */
  async killBroker(index: number, awayMs: number): Promise<void> {
    const [server, options] = [this.#servers[index], this.#options[index]];
    if (!server?.pid || !options) throw new Error(`There is no broker ${index}.`);
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    this.#servers[index] = await startKafka(options);
  }

  /** Stops a broker in order, and starts it again. @returns once every replica of every partition is in sync again */
  async restartBroker(index: number): Promise<void> {
    const [server, options] = [this.#servers[index], this.#options[index]];
    if (!server || !options) throw new Error(`There is no broker ${index}.`);
    await server.stop();
    this.#servers[index] = await startKafka(options);
    await waitFor('Every replica', () => hasAllReplicas(this.everything), {
      timeoutMs: RELOAD_MS,
      everyMs: 100,
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

/** @returns true if every replica of every partition is in sync, and null otherwise, for `waitFor` */
async function hasAllReplicas(brokers: Brokers): Promise<true | null> {
  const { topics } = await withAdmin(brokers, (admin) => admin.fetchTopicMetadata());
  const partitions = topics.flatMap((topic) => topic.partitions);
  return partitions.every(({ isr, replicas }) => isr.length === replicas.length) ? true : null;
}

const authorityName = (generation: number) => `authority-${generation}`;

/** The file with the brokers' key and certificate, and the one with the trusted authorities. */
function storeFiles(dir: string): [both: string, ca: string] {
  return [path.join(dir, 'broker.pem'), path.join(dir, 'trusted.crt')];
}

/** Makes everybody trust only these authorities, from the next connection on. */
async function trust(dir: string, authorities: TestAuthority[]): Promise<void> {
  const texts = await Promise.all(authorities.map(({ ca }) => readFile(ca, 'utf8')));
  const [, file] = storeFiles(dir);
  // Readers see the old text or the new one, never a part.
  await writeFile(`${file}.new`, texts.join(''));
  await rename(`${file}.new`, file);
}

/** Issues new certificates to the brokers and to every user. */
async function issueAll(authority: TestAuthority): Promise<void> {
  await authority.issue({ name: 'broker', subject: 'localhost' });
  for (const user of USERS) await authority.issue({ name: user });
}

function brokerSettings(nodes: Node[], index: number, dir: string): Record<string, string> {
  const { plain = 0, controller = 0, login = 0 } = nodes[index] ?? {};
  const voters = nodes.map((node, at) => `${at + 1}@127.0.0.1:${node.controller}`).join(',');
  const open = [`PLAINTEXT://127.0.0.1:${plain}`, `LOGIN://localhost:${login}`];
  return {
    ...REPLICATED,
    ...IMPATIENT,
    'node.id': String(index + 1),
    'controller.quorum.voters': voters,
    listeners: [...open, `CONTROLLER://127.0.0.1:${controller}`].join(','),
    'advertised.listeners': open.join(','),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_SSL',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
    ...keyStore('listener.name.login.', ...storeFiles(dir)),
    'listener.name.login.ssl.client.auth': 'required',
    'listener.name.login.sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'listener.name.login.scram-sha-512.sasl.jaas.config': SCRAM_MODULE,
  };
}

function passwordOf(user: User): string {
  return `password of ${user}`;
}

async function describeUser(dir: string, user: User, addresses: string): Promise<Record<string, string>> {
  const passwordFile = path.join(dir, `password-of-${user}`);
  await writeFile(passwordFile, passwordOf(user));
  return {
    KAFKA_BROKERS: addresses,
    KAFKA_CA_FILE: storeFiles(dir)[1],
    KAFKA_CERT_FILE: path.join(dir, `${user}.crt`),
    KAFKA_KEY_FILE: path.join(dir, `${user}.key`),
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_USERNAME: user,
    KAFKA_PASSWORD_FILE: passwordFile,
  };
}

/** Grants every user its rights on the topics of a prefix. @param everything a client with that right */
export async function grantRights(everything: Brokers, topicPrefix: string): Promise<void> {
  const rights = listRoleRights(topicPrefix);
  for (const user of USERS) {
    const roles: readonly Role[] = user === 'consumers' ? ['apply', 'relay', 'deliver'] : [user];
    await grant(
      everything,
      `User:${user}`,
      rights.filter(({ role }) => roles.includes(role)),
    );
  }
}
