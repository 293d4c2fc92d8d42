import dns from 'node:dns/promises';
import http from 'node:http';
import net from 'node:net';
import { isPublicAddress } from '../../domain/webhooks/addresses.ts';

/*
 * Connections to receivers. The address that is connected to is checked, not an earlier look-up: the name is resolved once
 * for each connection, the connection is made to one of the resolved addresses, and its other end is checked again before
 * anything is sent. A name that leads elsewhere later is checked anew with its next connection.
 */

/** The host has no address to which a webhook may lead. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError';
}

/** Returns the IP addresses of a host name. Rejects if there are none. */
type Resolve = (host: string) => Promise<string[]>;

/** How long a server of names may take for an answer, in milliseconds, and how often it is asked. */
const RESOLVE = { timeout: 2000, tries: 2 };

/** The most addresses of a host that are tried, and how long each may take, in milliseconds. */
const MAX_TRIED = 4;
const CONNECT_TIMEOUT_MS = 5000;

/**
 * Asks the servers of names, without the threads of the process, which slow servers could occupy, and without the names
 * that only this machine knows.
 */
function createPublicResolve(servers?: string[]): Resolve {
  const resolver = new dns.Resolver(RESOLVE);
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const [first] = found;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
}

/** Resolves names as every program of this machine does. */
const resolveLocally: Resolve = async (host) =>
  (await dns.lookup(host, { all: true })).map(({ address }) => address);

export interface SocketOptions {
  /** Whether private addresses are allowed. */
  allowPrivate: boolean;
  /** The proxy through which connections are made; null for none. */
  proxy: URL | null;
  /** By default it asks the servers of names. */
  resolve?: Resolve;
  /** The servers of names, as `address:port`; by default those of this machine. */
  nameServers?: string[];
}

/** Opens a TCP connection to a host, or a tunnel through the proxy. */
export type OpenSocket = (host: string, port: number, signal: AbortSignal) => Promise<net.Socket>;

/**
 * Creates the function that opens connections.
 *
 * It throws AddressRefusedError if the host has no allowed address, and the network's error if no connection is made.
 */
export function createOpenSocket({ allowPrivate, proxy, resolve, nameServers }: SocketOptions): OpenSocket {
  const lookUp = resolve ?? (allowPrivate ? resolveLocally : createPublicResolve(nameServers));
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);
  return async (host, port, signal) => {
    const addresses = net.isIP(host) === 0 ? await lookUp(host) : [host];
    const allowed = addresses.filter(isAllowed);
    if (allowed.length === 0) throw new AddressRefusedError(`${host} has no public address`);
    let failure: unknown;
    for (const address of allowed.slice(0, MAX_TRIED)) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
      try {
        signal.throwIfAborted();
        return proxy
          ? await openTunnel(proxy, address, port, limit)
          : await connect(address, port, isAllowed, limit);
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  };
}

/**
 * Destroys something that opens a connection if the signal aborts before it is open.
 *
 * @returns the function to call when it is open: afterwards the signal has no effect
 */
function destroyOnAbort(opening: { destroy(error: Error): unknown }, signal: AbortSignal): () => void {
  const giveUp = () => opening.destroy(new Error('no connection in time'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  return () => signal.removeEventListener('abort', giveUp);
}

function connect(
  address: string,
  port: number,
  isAllowed: (address: string) => boolean,
  signal: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    // The address is not a name, so nothing is looked up here.
    const socket = net.connect({ host: address, port, noDelay: true });
    socket.once('error', reject);
    const opened = destroyOnAbort(socket, signal);
    socket.once('connect', () => {
      opened();
      socket.off('error', reject);
      const { remoteAddress = '' } = socket;
      if (isAllowed(remoteAddress)) return resolve(socket);
      socket.destroy();
      reject(new AddressRefusedError(`the connection leads to ${remoteAddress}`));
    });
  });
}

/** Asks the proxy for a tunnel to the checked address: the proxy looks nothing up. */
function openTunnel(proxy: URL, address: string, port: number, signal: AbortSignal): Promise<net.Socket> {
  const authority = net.isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority },
      agent: false,
    });
    request.once('error', reject);
    const opened = destroyOnAbort(request, signal);
    // A proxy that refuses answers without a tunnel.
    request.once('response', ({ statusCode }) => {
      request.destroy();
      reject(new Error(`the proxy answered ${statusCode}`));
    });
    request.once('connect', ({ statusCode }, socket, head) => {
      opened();
      if (statusCode === 200 && head.length === 0) return resolve(socket as net.Socket);
      socket.destroy();
      reject(new Error(`the proxy answered ${statusCode}`));
    });
    request.end();
  });
}
