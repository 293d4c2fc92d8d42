/** A broker that requires TLS, a login and rights, for the tests of a file. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Right } from '../../../kafka/connection/rights.ts';
import { startKafka } from '../../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import type { KafkaServer } from '../../../ops/local/servers/server.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { TestAuthority } from '../servers/certificates.ts';
import { alterBroker, grant, keyStore, revoke, SCRAM_MODULE, setPassword } from '../servers/secure-users.ts';
import { ServerFolder } from '../servers/server-folder.ts';
import { startTokenServer, type TokenServer } from '../servers/token-server.ts';

const OAUTH = 'org.apache.kafka.common.security.oauthbearer';

/** The user of PLAIN, whose password is in the broker's settings. */
export const PLAIN_USER = { username: 'plain-user', password: 'plain-password' };

export class SecureKafka {
  readonly dir: string;
  readonly authority: TestAuthority;
  readonly tokens: TokenServer;
  /** `localhost:port` of the listeners with a login, with a certificate, and others. */
  readonly addresses: { login: string; certificate: string; expired: string };
  /** Connects without a login, and may do everything. */
  readonly everything: Brokers;
  readonly #folder: ServerFolder;
  readonly #server: KafkaServer;

  private constructor(
    parts: Pick<SecureKafka, 'authority' | 'tokens' | 'addresses'> & {
      folder: ServerFolder;
      server: KafkaServer;
    },
  ) {
    this.dir = parts.folder.dir;
    this.#folder = parts.folder;
    this.authority = parts.authority;
    this.tokens = parts.tokens;
    this.addresses = parts.addresses;
    this.everything = parts.server.brokers;
    this.#server = parts.server;
  }

  /**
   * @param options.tokens the server for its tokens; by default its own
   * @param options.overrides further settings of the broker
   */
  static async start({
    tokens: given,
    overrides = {},
  }: {
    tokens?: TokenServer;
    overrides?: Record<string, string>;
  } = {}): Promise<SecureKafka> {
    const folder = await ServerFolder.make('ballot-secure-');
    const { dir, onSpawn } = folder;
    const [authority, tokens] = await Promise.all([
      TestAuthority.create(dir, 'authority'),
      given ?? startTokenServer(),
    ]);
    const [broker, expired] = await Promise.all([
      authority.issue({ name: 'broker', subject: 'localhost' }),
      authority.issue({ name: 'expired-broker', subject: 'localhost', days: -1 }),
    ]);
    const ports = {
      login: await findFreePort(),
      certificate: await findFreePort(),
      expired: await findFreePort(),
    };
    const server = await startKafka({
      dir: path.join(dir, 'kafka'),
      onSpawn,
      listeners: [
        { name: 'LOGIN', protocol: 'SASL_SSL', port: ports.login },
        { name: 'CERTIFICATE', protocol: 'SSL', port: ports.certificate },
        { name: 'EXPIRED', protocol: 'SSL', port: ports.expired },
      ],
      jvmOptions: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${tokens.jwksUrl}`],
      overrides: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        'super.users': 'User:ANONYMOUS',
        ...keyStore('', broker.both, authority.ca),
        ...keyStore('listener.name.expired.', expired.both, authority.ca),
        ...keyStore('listener.name.certificate.', broker.both, authority.ca),
        'listener.name.certificate.ssl.client.auth': 'required',
        'listener.name.login.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
        'listener.name.login.plain.sasl.jaas.config':
          'org.apache.kafka.common.security.plain.PlainLoginModule required ' +
          `user_${PLAIN_USER.username}="${PLAIN_USER.password}";`,
        'listener.name.login.scram-sha-256.sasl.jaas.config': SCRAM_MODULE,
        'listener.name.login.scram-sha-512.sasl.jaas.config': SCRAM_MODULE,
        'listener.name.login.oauthbearer.sasl.jaas.config': `${OAUTH}.OAuthBearerLoginModule required;`,
        'listener.name.login.oauthbearer.sasl.server.callback.handler.class': `${OAUTH}.OAuthBearerValidatorCallbackHandler`,
        'listener.name.login.oauthbearer.sasl.oauthbearer.jwks.endpoint.url': tokens.jwksUrl,
        'listener.name.login.oauthbearer.sasl.oauthbearer.expected.audience': tokens.audience,
        'listener.name.login.oauthbearer.sasl.oauthbearer.expected.issuer': tokens.issuer,
        // A connection with an expired token ends, unless its client sends another one.
        'listener.name.login.oauthbearer.connections.max.reauth.ms': '3600000',
        ...overrides,
      },
    });
    const addresses = {
      login: `localhost:${ports.login}`,
      certificate: `localhost:${ports.certificate}`,
      expired: `localhost:${ports.expired}`,
    };
    return new SecureKafka({ folder, authority, tokens, addresses, server });
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.tokens.close();
    await this.#folder.remove();
  }

  /** Writes a file. @returns its path */
  async write(name: string, text: string): Promise<string> {
    const file = path.join(this.dir, name);
    await writeFile(file, text);
    return file;
  }

  /** The settings of a user whose password is in a file. */
  async loginAs(
    username: string,
    password: string,
    mechanism = 'SCRAM-SHA-512',
  ): Promise<Record<string, string>> {
    return {
      KAFKA_BROKERS: this.addresses.login,
      KAFKA_CA_FILE: this.authority.ca,
      KAFKA_SASL_MECHANISM: mechanism,
      KAFKA_USERNAME: username,
      KAFKA_PASSWORD_FILE: await this.write(`password-of-${username}`, `${password}\n`),
    };
  }

  /** Sets the password of a user of SCRAM, for both mechanisms. */
  setPassword(name: string, password: string): Promise<void> {
    return setPassword(this.everything, name, password);
  }

  /** Grants rights to a principal, such as `User:ann`. */
  grant(principal: string, rights: readonly Right[]): Promise<void> {
    return grant(this.everything, principal, rights);
  }

  revoke(principal: string, rights: readonly Right[]): Promise<void> {
    return revoke(this.everything, principal, rights);
  }

  /** Makes the broker read its certificate again. */
  async reloadCertificate(): Promise<void> {
    const location = path.join(this.dir, 'broker.pem');
    await alterBroker(this.everything, 1, keyStore('listener.name.login.', location, this.authority.ca));
  }
}
