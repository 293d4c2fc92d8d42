/** How both clients of Kafka connect: with TLS and a login as the settings say, which are read anew for each connection. */
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Base, BaseOptions } from '@platformatic/kafka';
import type { ISocketFactory, KafkaConfig, Mechanism } from 'kafkajs';
import type { Brokers, PasswordLogin, Tls, TokenLogin } from '../../service/brokers.ts';
import { rotatingContext } from '../../service/certificates.ts';
import { RefusedTokenError, tokenSource } from './access-token.ts';

const KEEP_ALIVE_MS = 60_000;
/** The length in front of bytes. */
const LENGTH_BYTES = 4;

/** The options of a client of kafkajs. */
export function kafkajsConnection(
  brokers: Brokers,
): Pick<KafkaConfig, 'brokers' | 'sasl' | 'ssl' | 'socketFactory'> {
  const { addresses, tls } = brokers;
  const sasl = kafkajsLogin(brokers);
  return {
    brokers: addresses,
    ...(tls && { ssl: true }),
    socketFactory: tls ? createTlsSockets(tls) : createSocket,
    ...(sasl && { sasl }),
  };
}

/** Without a delay, as @platformatic/kafka does it: kafkajs leaves on that the kernel holds small writes back. */
const createSocket: ISocketFactory = ({ host, port, onConnect }) =>
  connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, onConnect);

function createTlsSockets(tls: Tls): ISocketFactory {
  const context = rotatingContext(tls);
  return ({ host, port, onConnect }) => {
    // A server name that is an address is not allowed; the certificate is then checked for the host.
    const servername = tls.serverName ?? (isIP(host) === 0 ? host : '');
    const socket = connectTls({ host, port, servername, secureContext: context() }, onConnect);
    return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  };
}

/** kafkajs reads the password at each login, hence the getter. */
function kafkajsLogin({ login }: Brokers): KafkaConfig['sasl'] | null {
  if (login === null) return null;
  if (login.mechanism === 'OAUTHBEARER') return kafkajsTokenLogin(tokenSource(login));
  const { mechanism, username, password } = login;
  return {
    mechanism: mechanism.toLowerCase() as 'plain',
    username,
    get password() {
      return password.read();
    },
  };
}

/** The login of kafkajs for OAUTHBEARER: its own does not look whether the broker accepts the token. */
function kafkajsTokenLogin(readToken: () => Promise<string>): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const message = Buffer.from(`n,,\u0001auth=Bearer ${await readToken()}\u0001\u0001`);
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeInt32BE(message.length);
        await saslAuthenticate({
          request: { encode: () => Buffer.concat([length, message]) },
          response: {
            decode: (answer) => answer.subarray(LENGTH_BYTES),
            parse: requireAcceptedToken,
          },
        });
      },
    }),
  };
}

/**
 * A broker answers a token that it refuses with a reason, and no other.
 *
 * @throws RefusedTokenError
 */
function requireAcceptedToken(answer: Buffer): void {
  if (answer.length > 0) throw new RefusedTokenError(answer.toString());
}

/** The options of a client of @platformatic/kafka. */
export function platformaticConnection(
  brokers: Brokers,
): Pick<BaseOptions, 'bootstrapBrokers' | 'sasl' | 'tls' | 'tlsServerName'> {
  const { addresses, tls, login } = brokers;
  return {
    bootstrapBrokers: addresses,
    ...(tls && platformaticTls(tls, addresses)),
    ...(login && { sasl: platformaticLogin(login) }),
  };
}

/**
 * Returns the last error of a connection since a time of `performance.now()`. Undefined if there was none: an older error
 * does not explain a failure of today.
 */
export type FindConnectionError = (since: number) => unknown;

/**
 * Keeps the last error of connections that were made. A broker refuses a client's certificate only after that, and the
 * request that waits then fails with no more than "Connection closed".
 */
export function keepConnectionErrors(client: Pick<Base, 'on'>): FindConnectionError {
  let last: { error: unknown; at: number } | undefined;
  client.on('client:broker:connect', ({ connection }) => {
    connection.on('error', (error) => {
      last = { error, at: performance.now() };
    });
  });
  // The failed call reports the error; the event would end the process if it had no listener.
  client.on('client:broker:failed', () => {});
  return (since) => (last && last.at >= since ? last.error : undefined);
}

/** The client copies these options for each connection, hence the getter. */
function platformaticTls(tls: Tls, addresses: string[]): Pick<BaseOptions, 'tls' | 'tlsServerName'> {
  const context = rotatingContext(tls);
  const hasNames = addresses.some((address) => isIP(address.replace(/:[0-9]+$/, '')) === 0);
  return {
    tls: {
      get secureContext() {
        return context();
      },
    },
    // A cluster whose brokers have addresses instead of names is checked for those.
    tlsServerName: tls.serverName ?? hasNames,
  };
}

function platformaticLogin(login: PasswordLogin | TokenLogin): NonNullable<BaseOptions['sasl']> {
  if (login.mechanism === 'OAUTHBEARER') {
    return {
      mechanism: login.mechanism,
      token: tokenSource(login),
      authBytesValidator: (answer, callback) => {
        if (answer.length > 0) callback(new RefusedTokenError(answer.toString()));
        else callback(null, answer);
      },
    };
  }
  const { mechanism, username, password } = login;
  return { mechanism, username, password: () => password.read() };
}
