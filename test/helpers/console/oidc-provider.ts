import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { ProviderConfig } from '../../../gateway/console/config.ts';
import type { ConsoleClient, ReceivedPage } from './console-client.ts';

const MINUTE = 60;
const INTERACTION = '/interaction/';
const MAX_REDIRECTS = 10;

/** A person at the provider. */
export interface ProviderUser {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** An OpenID Connect provider on this machine. Its visitors enter no password: the test chooses the person. */
export class TestProvider {
  readonly clientId = 'ballots';
  readonly clientSecret = randomBytes(24).toString('base64url');
  /** By subject. */
  readonly users = new Map<string, ProviderUser>();
  /** The subject of the person who signs in, or the provider's error. */
  visitor: string | { error: string; description: string } = '';
  readonly #publicUrl: string;
  readonly #key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  #server: Server | null = null;
  #port = 0;

  /** @param publicUrl the service's address, without a trailing slash */
  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A gateway's settings for this provider, once it has started. */
  get settings(): ProviderConfig {
    return {
      issuer: new URL(this.issuer),
      clientId: this.clientId,
      clientSecret: this.clientSecret,
      callbackUrl: `${this.#publicUrl}/console/sign-in/callback`,
      assumesVerified: false,
    };
  }

  /** Starts the provider, on its earlier port if it had one. */
  async start(): Promise<void> {
    const server = createServer();
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    const provider = this.#createProvider();
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith(INTERACTION)) return answer(request, response);
      const { visitor } = this;
      const result =
        typeof visitor === 'string'
          ? { login: { accountId: visitor } }
          : { error: visitor.error, error_description: visitor.description };
      return provider.interactionFinished(request, response, result);
    });
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    this.#server = null;
  }

  /**
   * Signs a person in to the console.
   *
   * @param start the console's address that leads to the provider
   * @returns the console's answer to the returning browser
   */
  async signIn(
    client: ConsoleClient,
    subject: string,
    start = '/console/sign-in/start',
  ): Promise<ReceivedPage> {
    this.visitor = subject;
    return client.get(await this.visit((await client.get(start)).location));
  }

  /**
   * Follows the provider's redirects like a new browser, from the address in the gateway's redirect.
   *
   * @returns the path and query at which the browser returns to the service
   */
  async visit(address: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = new URL(address);
    for (let count = 0; count < MAX_REDIRECTS; count++) {
      if (url.origin === this.#publicUrl) return `${url.pathname}${url.search}`;
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { Cookie: cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('Location');
      if (location === null)
        throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
      url = new URL(location, url);
    }
    throw new Error(`The provider redirected more than ${MAX_REDIRECTS} times.`);
  }

  #createProvider(): Provider {
    const provider: Provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: [this.settings.callbackUrl],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      features: { devInteractions: { enabled: false } },
      jwks: { keys: [{ ...this.#key, use: 'sig', alg: 'RS256', kid: 'one' }] },
      ttl: {
        AccessToken: MINUTE,
        AuthorizationCode: MINUTE,
        Grant: MINUTE,
        IdToken: MINUTE,
        Interaction: MINUTE,
        Session: MINUTE,
      },
      pkce: { required: () => true },
      interactions: { url: (_ctx, { uid }) => `${INTERACTION}${uid}` },
      findAccount: async (_ctx, subject) => {
        const user = this.users.get(subject);
        return user && { accountId: subject, claims: async () => ({ sub: subject, ...user }) };
      },
      async loadExistingGrant({ oidc }) {
        const { client, session } = oidc;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    return provider;
  }
}
