import { findFreePort } from '../../../ops/local/servers/ports.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import { TestAuthority } from '../../helpers/servers/certificates.ts';
import { alterBroker, keyStore } from '../../helpers/servers/secure-users.ts';

const NAME = 'SECURED';
const PREFIX = 'listener.name.secured.';

/** A listener of Kafka that requires TLS and a client certificate, behind its own proxy. */
export class SecuredListener {
  readonly proxy: TcpProxy;
  readonly listener: { name: string; protocol: 'SSL'; port: number };
  readonly #authority: TestAuthority;
  readonly #keys: string;

  private constructor(authority: TestAuthority, keys: string, proxy: TcpProxy, port: number) {
    this.#authority = authority;
    this.#keys = keys;
    this.proxy = proxy;
    this.listener = { name: NAME, protocol: 'SSL', port };
  }

  /** Prepares it, with an authority that keeps its files in this folder. */
  static async open(dir: string): Promise<SecuredListener> {
    const authority = await TestAuthority.create(dir, 'authority');
    const { both } = await authority.issue({ name: 'broker', subject: 'localhost' });
    const port = await findFreePort();
    return new SecuredListener(authority, both, await TcpProxy.open(port), port);
  }

  get advertised(): string {
    return `${NAME}://localhost:${this.proxy.port}`;
  }

  /** The broker's settings for it. */
  get settings(): Record<string, string> {
    return { ...keyStore(PREFIX, this.#keys, this.#authority.ca), [`${PREFIX}ssl.client.auth`]: 'required' };
  }

  /** Gives the broker another certificate. @param until its expiry; after a day by default */
  async renewBroker(brokers: Brokers, until?: Date): Promise<void> {
    await this.#authority.issue({ name: 'broker', subject: 'localhost', ...(until && { until }) });
    await alterBroker(brokers, 1, keyStore(PREFIX, this.#keys, this.#authority.ca));
  }

  /**
   * Gives a client another certificate, in the files of the last one.
   *
   * @returns the client's settings
   */
  async renewClient(name: string, until?: Date): Promise<Record<string, string>> {
    const { cert, key } = await this.#authority.issue({
      name,
      ...(until && { until }),
    });
    return {
      KAFKA_BROKERS: `localhost:${this.proxy.port}`,
      KAFKA_CA_FILE: this.#authority.ca,
      KAFKA_CERT_FILE: cert,
      KAFKA_KEY_FILE: key,
    };
  }
}
