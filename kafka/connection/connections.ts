/** Connection options of both clients of Kafka. Each connection reads certificates and secrets anew. */
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, KafkaConfig, Mechanism } from 'kafkajs';
import type { Brokers, PasswordLogin, Tls, TokenLogin } from '../../service/brokers.ts';
import { rotatingContext } from '../../service/certificates.ts';
import type { Base, BaseOptions } from '../library.ts';
import { RefusedTokenError, tokenSource } from './access-token.ts';

const KEEP_ALIVE_MS = 60_000;
/** The size of the length before bytes. */
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

/** Without Nagle's delay of small writes, as in @platformatic/kafka; kafkajs leaves it on. */
const createSocket: ISocketFactory = ({ host, port, onConnect }) =>
  connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, onConnect);

function createTlsSockets(tls: Tls): ISocketFactory {
  const context = rotatingContext(tls);
  return ({ host, port, onConnect }) => {
    // A server name must not be an address. Without one, the certificate is checked for the host.
    const servername = tls.serverName ?? (isIP(host) === 0 ? host : '');
    const socket = connectTls({ host, port, servername, secureContext: context() }, onConnect);
    return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  };
}

/** The getter lets kafkajs read the password at each login. */
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

/** An OAUTHBEARER login for kafkajs, whose own does not check that the broker accepts the token. */
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

/** A broker answers a refused token with a reason, and an accepted one with nothing. @throws RefusedTokenError */
function requireAcceptedToken(answer: Buffer): void {
  if (answer.length > 0) throw new RefusedTokenError(answer.toString());
}

/** The options of a client of @platformatic/kafka. */
export function platformaticConnection(
  brokers: Brokers,
): Pick<BaseOptions, 'bootstrapBrokers' | 'sasl' | 'tls' | 'tlsServerName' | 'timeout' | 'connectTimeout'> {
  const { addresses, tls, login } = brokers;
  return {
    bootstrapBrokers: addresses,
    timeout: 5000,
    connectTimeout: 3000,
    ...(tls && platformaticTls(tls, addresses)),
    ...(login && { sasl: platformaticLogin(login) }),
  };
}

/**
 * Returns the last error of a connection since a time of `performance.now()`; undefined without one. An older
 * error does not explain a present failure.
 */
export type FindConnectionError = (since: number) => unknown;

/**
 * Keeps the last error of established connections. A broker refuses a client's certificate only after
 * connecting, and the waiting request then fails with a bare "Connection closed".
 */
export function keepConnectionErrors(client: Pick<Base, 'on'>): FindConnectionError {
  let last: { error: unknown; at: number } | undefined;
  client.on('client:broker:connect', ({ connection }) => {
    connection.on('error', (error) => {
      last = { error, at: performance.now() };
    });
  });
  // The failed call reports the error. Without a listener, the event would end the process.
  client.on('client:broker:failed', () => {});
  return (since) => (last && last.at >= since ? last.error : undefined);
}

/** The client copies these options for each connection, so the getter gives the current certificates. */
function platformaticTls(tls: Tls, addresses: string[]): Pick<BaseOptions, 'tls' | 'tlsServerName'> {
  const context = rotatingContext(tls);
  const hasNames = addresses.some((address) => isIP(address.replace(/:[0-9]+$/, '')) === 0);
  return {
    tls: {
      get secureContext() {
        return context();
      },
    },
    // If the brokers have addresses instead of names, their certificates are checked for the addresses.
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
